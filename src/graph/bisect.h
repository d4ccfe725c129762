#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graph/repository.h"

namespace spoor::graph {

using compile::Prompt;
using store::Oid;

/// What somebody says of one prompt. `skip`: it cannot be told.
enum class Verdict { good, bad, skip };

/// Judges the prompt at a commit. An error ends the search.
using Judge = std::function<Result<Verdict>(const Oid& commit, const Prompt& prompt)>;

struct BisectOptions {
  /// Judge every commit in order, for what may turn bad and good again.
  bool scan = false;
  /// For judges that err: a commit is judged up to `ballots` times and is bad once
  /// `votes` of them said so, good once that cannot be any more. A skip is no vote.
  std::size_t votes = 1;
  std::size_t ballots = 1;
};

/// Where a prompt went wrong.
struct Bisected {
  Oid first;              ///< the first bad commit
  std::size_t tests = 0;  ///< commits that were judged
  /// Commits right before `first` that could not be told: each may be the first one.
  std::vector<Oid> skipped;
};

/// Finds the first commit after `good`, on the way to `bad` over first parents,
/// that `judge` calls bad. `bad` counts as bad without a test, and a bad prompt
/// stays bad: for n commits after `good` at most ceil(log2 n) are judged, and one
/// more for each skip. With `scan` all up to the first bad one are judged, `bad`, too, which is
/// believed where it cannot be told.
/// Code::invalid when `good` does not lie before `bad` or no majority can be had
/// (`votes` above `ballots`, or 0), Code::not_found when a scan finds `bad` good.
Result<Bisected> bisect(const Repository& repository, const Oid& good, const Oid& bad,
                        const Judge& judge, const BisectOptions& options = {});

}  // namespace spoor::graph
