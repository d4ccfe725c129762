#pragma once

#include <optional>

#include "compile/turn.h"
#include "store/reader.h"

namespace spoor::graph {

/// An answer and one of its tool calls.
struct Asking {
  store::Oid answer;
  compile::ToolCall call;
};

/// Returns the answer that makes the call of the tool result `result`, and that call. Searches the
/// 200 turns before `result`. Returns nullopt if none of them makes the call, or if `result` is not
/// a tool result.
Result<std::optional<Asking>> asking_of(const store::Reader& reader, const store::Oid& result);

}  // namespace spoor::graph
