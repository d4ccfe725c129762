#pragma once

#include <cstddef>
#include <functional>

#include "compile/repository.h"

namespace spoor::compile {

/// Where a prompt went wrong.
struct Bisected {
  Oid first;              ///< the first bad commit
  std::size_t tests = 0;  ///< prompts that were judged
};

/// Finds the first commit after `good`, on the way to `bad` over first parents,
/// whose prompt `is_bad`. `bad` counts as bad without a test, and a bad prompt
/// stays bad: for n commits after `good` at most ceil(log2 n) are judged.
/// Code::invalid when `good` does not lie before `bad`.
Result<Bisected> bisect(const Repository& repository, const Oid& good, const Oid& bad,
                        const std::function<bool(const Prompt&)>& is_bad);

}  // namespace spoor::compile
