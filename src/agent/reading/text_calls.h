#pragma once

#include <string_view>
#include <vector>

#include "agent/reading/call_objects.h"
#include "agent/reading/rationale_blocks.h"

namespace spoor::agent::reading {

/// The calls of a reply without native calls.
struct TextCalls {
  std::vector<TextCall> calls;
  RationaleBlocks blocks;  ///< all blocks of the reply, attached to a call or not

  bool operator==(const TextCalls&) const = default;
};

/// Reads the calls in a reply of a model without native calls. Linear in the size of both.
///
/// Skips a byte order mark and a leading `<think>…</think>`: calls in it do not count, rationale
/// blocks in it count as `thinking`. Removes rationale blocks. Then come the calls of offered tools
/// in the form of the model's family (dialects.h): before the others, which would take a tag of
/// these forms for one of their own, and an object among the arguments for a call. If there are
/// none, tries these forms; the first with a call wins, and all calls have this form:
///
/// 1. Closed `<tool_call>` elements with lines `key: value`: `tool` is the name, `rationale` the
/// rationale (an object, or a plain text as its `why`), every other key an argument with a text. A
/// line without a key continues the value above it.
/// 2. The first non-empty JSON array (tier 3) whose elements are all call objects. It may be inside
/// an object that is not a call object.
/// 3. Each JSON object (tier 2) that is a call object and not inside another object.
///
/// Calls in inline code and in lines that quote (`>`) do not count in any of these forms.
///
/// A call object has a name: the first of the texts `tool`, `tool_name` and `name`. Its arguments
/// are the object `arguments`, `parameters` or `args` (as OpenAI writes it, the object may be
/// inside a text; null counts as missing), else its other members. Its member `rationale`, an
/// object or a plain text, is its own rationale.
///
/// The n-th call without its own rationale has that of block n (block_for).
TextCalls read_text_calls(std::string_view reply, std::string_view thinking = {},
                          const OfferedTools& tools = {});

/// Returns whether a reply contains a call of an offered tool, in any form of read_text_calls(),
/// for a model whose provider passes calls on natively. A call in a code fence is an example,
/// unless the fence is the whole reply.
bool has_text_call(std::string_view reply, const OfferedTools& tools);

}  // namespace spoor::agent::reading
