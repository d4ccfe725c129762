#pragma once

#include <optional>
#include <vector>

#include "compile/turn.h"

namespace spoor::graph {

using store::Oid;

/// The reasoning that led to an answer, oldest first: the run of reasoning commits
/// right before it, bookkeeping between them passed over, and other records of the
/// same provider message (`message_id`) with the results of its calls between them. May be empty.
/// Code::invalid when `answer` is no assistant commit.
Result<std::vector<Oid>> reasoning_of(const store::Reader& reader, const Oid& answer);

/// The answer that a reasoning led to, on the line of first parents that ends in `tip`:
/// the first assistant turn behind it, before any other turn but reasoning. Nothing
/// when there is none, or the line does not hold `reasoning`.
Result<std::optional<Oid>> answer_of(const store::Reader& reader, const Oid& tip,
                                     const Oid& reasoning);

}  // namespace spoor::graph
