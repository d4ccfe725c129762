#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "compile/turn.h"

namespace spoor::llm {

// A provider's item is left out of a commit only if it can be rebuilt, byte for byte, from the rest
// of the commit. The *shape* describes how: one letter per item, in order. The default shape of a
// turn's type is not written; any other is the text `shape` in meta. These letters are frozen with
// `spoor1` (docs/importing.md, "Shapes").
//
//   n   no items, used alone: an empty answer
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
// X is the turn's text as a string or, if `r[…]` follows the pattern, the bracketed items as an
// array. Each `u` or `d` takes the next call, each `i` the next attached image. A shape has at most
// one `s` or `t`.

/// Returns the shape of a turn without one in meta. Empty if such a turn has no items, or keeps
/// them in `raw`.
std::string default_shape(const compile::Turn& turn);

/// Returns the shape that rebuilds `items` from `turn`; nullopt if there is none and the items must
/// be kept.
std::optional<std::string> find_shape(const std::vector<json::Value>& items,
                                      const compile::Turn& turn);

/// Returns the provider's items of a turn, byte for byte as received: its `raw`, or the items that
/// its shape rebuilds. A turn has a shape if Claude Code wrote it, if it is an answer of
/// `anthropic-messages`, or if its meta names one; any other turn without `raw` has no items.
/// Code::corrupt if the shape needs parts that the turn does not have.
Result<std::vector<std::string>> provider_items(const compile::Turn& turn);

}  // namespace spoor::llm
