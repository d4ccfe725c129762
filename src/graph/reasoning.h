#pragma once

#include <optional>
#include <vector>

#include "compile/turn.h"

namespace spoor::graph {

using store::Oid;

/// Returns the reasoning that led to an answer, oldest first; may be empty. That is the run of
/// reasoning commits right before the answer. Bookkeeping commits between them are skipped, and so
/// are other records of the same provider message (`message_id`) and the results of that message's
/// calls. Returns Code::invalid if `answer` is not an assistant commit.
Result<std::vector<Oid>> reasoning_of(const store::Reader& reader, const Oid& answer);

/// Returns the answer that a reasoning led to, on the first-parent chain of `tip`: the first
/// assistant turn after it, with only reasoning turns between them. Returns nullopt if there is
/// none, or if `reasoning` is not on that chain.
Result<std::optional<Oid>> answer_of(const store::Reader& reader, const Oid& tip,
                                     const Oid& reasoning);

}  // namespace spoor::graph
