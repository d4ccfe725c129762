#pragma once

#include <functional>
#include <span>
#include <vector>

#include "store/reader.h"

namespace spoor::sync {

using store::Oid;

/// Asks the other store which of some commits it has.
using AskWhich = std::function<Result<std::vector<bool>>(std::span<const Oid>)>;

/// Returns for each tip, if there is one, a commit of its first-parent line that the other store
/// has: the newest such, or one at most 256 commits before it. Takes one question for lines that
/// parted a few hundred commits ago, and few for all others: asks at distances that double, then at
/// 31 places of the gap.
Result<std::vector<Oid>> find_common(const store::Store& store, std::span<const Oid> tips,
                                     const AskWhich& ask);

/// Returns whether a ref that moves from `before` to `after` goes forward: both are commits that
/// are here, and `before` is `after` or an ancestor of it.
Result<bool> goes_forward(const store::Reader& reader, const Oid& before, const Oid& after);

}  // namespace spoor::sync
