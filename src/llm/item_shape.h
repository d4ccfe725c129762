#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "compile/turn.h"

namespace spoor::llm {

// A provider's item is left out of a commit exactly where it can be made again,
// byte for byte, from what the commit holds. The *shape* says how: one letter an
// item, in order. A shape that its turn's type has by default is not written; any
// other is the text `shape` in meta. These letters are frozen with `spoor1`
// (docs/importing.md, "Shapes").
//
//   n   no item at all, alone: an answer of nothing
//   s   "TEXT"
//   t   {"type":"text","text":"TEXT"}
//   i   {"type":"image","source":{"type":"base64","media_type":"M","data":"…"}}
//   u   {"type":"tool_use","id":"I","name":"N","input":ARGUMENTS}
//   d   {"type":"tool_use","id":"I","name":"N","input":ARGUMENTS,"caller":{"type":"direct"}}
//   r   {"tool_use_id":"C","type":"tool_result","content":X}
//   f   {"tool_use_id":"C","type":"tool_result","content":X,"is_error":false}
//   g   {"tool_use_id":"C","type":"tool_result","content":X,"is_error":true}
//   e   {"type":"tool_result","content":X,"is_error":true,"tool_use_id":"C"}
//
// X is the turn's text as a string, or behind `r[…]` the items in the brackets as
// an array. Each `u` or `d` takes the next call, each `i` the next image that is
// attached, and only one `s` or `t` may stand in a shape.

/// The shape of a turn whose meta has none. Empty: such a turn has no items, or
/// keeps them in `raw`.
std::string default_shape(const compile::Turn& turn);

/// The shape that makes `items` again from `turn`; nothing when there is none,
/// and the items must be kept.
std::optional<std::string> find_shape(const std::vector<json::Value>& items,
                                      const compile::Turn& turn);

/// Returns the provider's items of a turn as they came, byte for byte: its `raw`, or what its shape
/// makes. A turn has a shape if it is Claude Code's, an answer of `anthropic-messages`, or its meta
/// names one; any other turn without `raw` has no items. Code::corrupt if the shape asks for what
/// the turn does not have.
Result<std::vector<std::string>> provider_items(const compile::Turn& turn);

}  // namespace spoor::llm
