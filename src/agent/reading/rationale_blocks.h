#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/rationale.h"

namespace spoor::agent::reading {

/// Which of a reply's calls a block speaks of, and who said so.
enum class Numbering {
  claimed,   ///< the block: its `call` is this number
  position,  ///< nobody: it has no `call`, and took the number of its place among the blocks
  moved,     ///< nobody: the number that it asked for was taken, this is the next free one
};

/// One block that holds a rationale.
struct RationaleBlock {
  Rationale rationale;
  std::string tool;  ///< the tool that it names, in `tool` or in `name`; empty: none
  Numbering numbering = Numbering::claimed;
  bool is_from_thinking = false;
  std::vector<std::string> dropped;  ///< what clean_rationale() lost of it

  bool operator==(const RationaleBlock&) const = default;
};

/// The `<rationale call="N" tool="T">{…}</rationale>` blocks of a reply (docs/rationale.md).
struct RationaleBlocks {
  std::map<std::int64_t, RationaleBlock> blocks;  ///< by the number of a call, from 1
  std::string stripped;                           ///< the text without its blocks, for people
  std::string rest;                    ///< the same for programs: nothing else is changed
  std::vector<std::string> unmatched;  ///< each `call` of the text that is no number, as written
  std::vector<std::int64_t> repeated;  ///< numbers that several blocks of the text claim, ascending
  std::vector<std::string> unread;     ///< blocks of the text without a rationale, and why

  bool operator==(const RationaleBlocks&) const = default;
};

/// What becomes of a block in a JSON object that stands in the text, which is no block's body.
enum class InObjects {
  read,  ///< it is a block like others
  text,  ///< it is data: an argument of a call, say
};

/// Reads the blocks of a text, and of the thinking that came with it. Tags and attributes may be in
/// any case, other attributes are passed over, quotes may be missing. An attribute ends with its
/// tag: none holds `<` or `>`. JSON objects are stepped over on the way to the closing tag.
///
/// The body is JSON, perhaps fenced; if it is not JSON as a whole, its first object with a text
/// `why` counts. What is wrong in a rationale is dropped (clean_rationale). A block without one is
/// counted, but takes no number.
///
/// Numbers: first each `call` from 1 on, the first claimant winning; then, in order, blocks without
/// `call` ask for their place among all blocks of the text, and repeated claims for what they
/// claimed, and take the next free number if that is gone. A `call` that is no number takes none.
/// Thinking is read by itself, and fills only numbers that the text left free.
///
/// `stripped` has no block and no tag of one (unless InObjects::text): a block that does not end is
/// gone with all that follows, a closing tag of none is gone too; three or more line ends become
/// two, and the ends are trimmed. Tags that taking others out would make get a blank behind their
/// `<`.
///
/// Linear in the size of both.
RationaleBlocks read_rationale_blocks(std::string_view text, std::string_view thinking = {},
                                      InObjects in_objects = InObjects::read);

/// The block that speaks of the `number`-th call of a reply, a call of `tool`. Null when there is
/// none, when it names another tool, and when it was moved there: nobody said that it belongs to
/// this call. Points into `blocks`.
const RationaleBlock* block_for(const RationaleBlocks& blocks, std::int64_t number,
                                std::string_view tool);

}  // namespace spoor::agent::reading
