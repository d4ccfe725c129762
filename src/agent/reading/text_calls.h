#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/rationale.h"
#include "agent/reading/rationale_blocks.h"

namespace spoor::agent::reading {

/// A call that a model wrote down as text.
struct TextCall {
  std::string name;
  std::string arguments;  ///< a canonical JSON object
  /// How it was written: 1 in `<tool_call>` tags, 3 in a JSON array, 2 as a JSON object.
  int tier = 0;
  std::optional<Rationale> rationale;  ///< its own, else that of the block with its number
  std::vector<std::string> dropped;    ///< what clean_rationale() lost of either

  bool operator==(const TextCall&) const = default;
};

/// What a reply without native calls calls.
struct TextCalls {
  std::vector<TextCall> calls;
  RationaleBlocks blocks;  ///< those of the reply, attached to a call or not

  bool operator==(const TextCalls&) const = default;
};

/// Reads the calls out of a reply of a model without native ones. A byte order mark and a leading
/// `<think>…</think>` are stepped over: what is called there is not called, what is explained there
/// counts as `thinking`. Then rationale blocks are taken out, and the first form that gives a call
/// wins, all calls being of this form:
///
/// 1. `<tool_call>` elements that end, of lines `key: value`: `tool` is the name, `rationale` the
///    rationale (an object, or a plain text, its `why`), each other one an argument, a text. A line
///    without a key goes on with the value above it.
/// 2. The first JSON array (tier 3) that has elements, all of which are call objects. It may stand
///    in an object that is none.
/// 3. Each JSON object (tier 2) that is a call object, and does not stand in another object.
///
/// A call object has a name, the text `tool`, `tool_name` or `name`, the first of these that it
/// has. Its arguments are the object `arguments`, `parameters` or `args` (such an object in a text,
/// as OpenAI has it, counts; null is none), else its other members. Its member `rationale`, an
/// object or a plain text, is its own.
///
/// The n-th call without a rationale of its own has that of block n (block_for). Linear in the size
/// of both.
TextCalls read_text_calls(std::string_view reply, std::string_view thinking = {});

}  // namespace spoor::agent::reading
