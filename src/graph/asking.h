#pragma once

#include <optional>

#include "compile/turn.h"
#include "store/reader.h"

namespace spoor::graph {

/// An answer and one of the calls that it asks for.
struct Asking {
  store::Oid answer;
  compile::ToolCall call;
};

/// Returns the answer that asks for the call of the tool result `result`: one of the 200 turns
/// before it. Nothing if there is none, or if `result` is another turn.
Result<std::optional<Asking>> asking_of(const store::Reader& reader, const store::Oid& result);

}  // namespace spoor::graph
