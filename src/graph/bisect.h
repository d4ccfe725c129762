#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graph/repository.h"

namespace spoor::graph {

using compile::Prompt;
using store::Oid;

/// A judgement of one prompt. `skip`: the prompt cannot be judged.
enum class Verdict { good, bad, skip };

/// Judges the prompt at a commit. An error ends the search.
using Judge = std::function<Result<Verdict>(const Oid& commit, const Prompt& prompt)>;

struct BisectOptions {
  /// Judge every commit in order. For prompts that may turn good again after a bad one.
  bool scan = false;
  /// For judges that err: a commit is judged up to `ballots` times. It is bad once `votes` verdicts
  /// are bad, and good once `votes` can no longer be reached. A skip is not a vote.
  std::size_t votes = 1;
  std::size_t ballots = 1;
};

/// The result of a bisection.
struct Bisected {
  Oid first;              ///< the first bad commit
  std::size_t tests = 0;  ///< commits that were judged
  /// Commits right before `first` that were skipped: each may be the first bad one.
  std::vector<Oid> skipped;
};

/// Finds the first commit after `good`, on the first-parent chain of `bad`, that `judge` calls bad.
///
/// Without `scan`, `bad` is taken as bad without a test, and every prompt after a bad one counts as
/// bad: for n commits after `good`, at most ceil(log2 n) are judged, and one more for each skip.
/// With `scan`, every commit up to the first bad one is judged, `bad` included; if `bad` is
/// skipped, it is taken as bad.
///
/// Returns Code::invalid if `good` is not before `bad`, or if no majority is possible (`votes`
/// above `ballots`, or 0). Returns Code::not_found if a scan finds `bad` good.
Result<Bisected> bisect(const Repository& repository, const Oid& good, const Oid& bad,
                        const Judge& judge, const BisectOptions& options = {});

}  // namespace spoor::graph
