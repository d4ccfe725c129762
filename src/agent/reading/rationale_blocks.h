#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/rationale.h"

namespace spoor::agent::reading {

/// How a block got the number of its call.
enum class Numbering {
  claimed,   ///< from the block's `call`
  position,  ///< the block has no `call`: its position among the blocks
  moved,     ///< its number was taken: the next free one
};

/// A block with a valid rationale.
struct RationaleBlock {
  Rationale rationale;
  std::string tool;  ///< the tool in its `tool` or `name`; empty: none
  Numbering numbering = Numbering::claimed;
  bool is_from_thinking = false;
  std::vector<std::string> dropped;  ///< the parts that clean_rationale() dropped

  bool operator==(const RationaleBlock&) const = default;
};

/// A block whose body is a text and not JSON.
struct PlainBlock {
  std::int64_t number = 0;  ///< that it claims, or its position; 0: it claims what is not a number
  std::string tool;         ///< as in RationaleBlock
  std::string text;

  bool operator==(const PlainBlock&) const = default;
};

/// The `<rationale call="N" tool="T">{…}</rationale>` blocks of a reply (docs/rationale.md).
struct RationaleBlocks {
  std::map<std::int64_t, RationaleBlock> blocks;  ///< by the number of a call, from 1
  std::string stripped;                           ///< the text without blocks, for people
  std::string rest;                               ///< the same for programs: otherwise unchanged
  std::vector<std::string> unmatched;  ///< each `call` in the text that is not a number, as written
  std::vector<std::int64_t> repeated;  ///< numbers that several blocks of the text claim, ascending
  std::vector<std::string> unread;     ///< other blocks of the text without a rationale, and why
  std::vector<PlainBlock> plain;       ///< blocks of the text that are plain text, in order

  bool operator==(const RationaleBlocks&) const = default;
};

/// How to read a block inside a JSON object of the text (not the body of another block).
enum class InObjects {
  read,  ///< as a block like others
  text,  ///< as data, such as an argument of a call
};

/// Reads the blocks of a text and of its thinking. Linear in the size of both.
///
/// Tags and attributes may be in any case, quotes may be missing, other attributes are ignored. An
/// attribute contains neither `<` nor `>`. JSON objects are skipped in the search for the closing
/// tag.
///
/// The body is JSON, optionally fenced; if it is not JSON as a whole, the first object in it with a
/// text `why` is used. Invalid parts of a rationale are dropped (clean_rationale). A block without
/// a rationale counts as a position, but takes no number.
///
/// Numbers: each `call` of 1 or more is assigned first; the first block with it wins. Then, in
/// order, a block without `call` takes its position among all blocks of the text, and a repeated
/// claim the number it claimed, or the next free number if that is taken. A `call` that is not a
/// number takes none. Thinking is read separately and takes only numbers that the text left free.
///
/// `stripped` has no blocks and no tags (unless InObjects::text). An unclosed block is removed with
/// everything after it; a closing tag without a block is removed. Three or more line ends become
/// two, and the ends are trimmed. If a removal would form a new tag, a blank is inserted after its
/// `<`.
RationaleBlocks read_rationale_blocks(std::string_view text, std::string_view thinking = {},
                                      InObjects in_objects = InObjects::read);

/// Returns the block for the `number`-th call of a reply, a call of `tool`. Returns null if there
/// is none, if it names another tool, or if its numbering is `moved`, since it may belong to
/// another call. Points into `blocks`.
const RationaleBlock* block_for(const RationaleBlocks& blocks, std::int64_t number,
                                std::string_view tool);

}  // namespace spoor::agent::reading
