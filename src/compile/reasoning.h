#pragma once

#include <vector>

#include "compile/turn.h"

namespace spoor::compile {

/// The reasoning that led to an answer, oldest first: the run of reasoning commits
/// right before it, bookkeeping between them passed over. May be empty.
/// Code::invalid when `answer` is no assistant commit.
Result<std::vector<Oid>> reasoning_of(const store::Reader& reader, const Oid& answer);

}  // namespace spoor::compile
