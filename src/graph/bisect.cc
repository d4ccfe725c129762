#include "graph/bisect.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "store/ancestry.h"

namespace spoor::graph {
namespace {

class Bisection {
 public:
  Bisection(const Repository& repository, const Oid& bad, const Judge& judge,
            const BisectOptions& options)
      : repository_(repository), bad_(bad), judge_(judge), options_(options) {}

  Result<Bisected> scan(std::uint64_t good, std::uint64_t bad) {
    for (std::uint64_t depth = good + 1; depth <= bad; ++depth) {
      const Verdict verdict = TRY(judge_at(depth));
      if (verdict == Verdict::bad) return result(good, depth);
      if (verdict == Verdict::good) good = depth;
    }
    if (good < bad) return result(good, bad);  // `bad` was skipped: the caller's word counts.
    return not_found("no commit of the range is bad",
                     "run the command by hand on the commit given as bad");
  }

  Result<Bisected> halve(std::uint64_t good, std::uint64_t bad) {
    while (const auto depth = middle(good, bad)) {
      const Verdict verdict = TRY(judge_at(*depth));
      if (verdict == Verdict::bad) bad = *depth;
      if (verdict == Verdict::good) good = *depth;
    }
    return result(good, bad);
  }

 private:
  // Returns the depth nearest to the middle that may still be judged.
  std::optional<std::uint64_t> middle(std::uint64_t good, std::uint64_t bad) const {
    const std::uint64_t center = good + (bad - good) / 2;
    for (std::uint64_t away = 0; away < bad - good; ++away) {
      if (center > good + away && !skipped_.contains(center - away)) return center - away;
      if (center > good && center + away < bad && !skipped_.contains(center + away)) {
        return center + away;
      }
    }
    return std::nullopt;
  }

  Result<Verdict> judge_at(std::uint64_t depth) {
    const Oid commit = TRY(store::ancestor_at(repository_.reader(), bad_, depth));
    const Prompt prompt = TRY(repository_.compile(commit));
    ++tests_;
    std::size_t bad = 0;
    std::size_t good = 0;
    for (std::size_t ballot = 0; ballot < options_.ballots; ++ballot) {
      const Verdict verdict = TRY(judge_(commit, prompt));
      if (verdict == Verdict::bad) ++bad;
      if (verdict == Verdict::good) ++good;
      if (bad >= options_.votes) return Verdict::bad;
      if (good > options_.ballots - options_.votes) return Verdict::good;
    }
    skipped_.insert(depth);
    return Verdict::skip;
  }

  Result<Bisected> result(std::uint64_t good, std::uint64_t bad) const {
    Bisected found{TRY(store::ancestor_at(repository_.reader(), bad_, bad)), tests_, {}};
    for (std::uint64_t depth = good + 1; depth < bad; ++depth) {
      found.skipped.push_back(TRY(store::ancestor_at(repository_.reader(), bad_, depth)));
    }
    return found;
  }

  const Repository& repository_;
  const Oid bad_;
  const Judge& judge_;
  const BisectOptions& options_;
  std::set<std::uint64_t> skipped_;
  std::size_t tests_ = 0;
};

}  // namespace

Result<Bisected> bisect(const Repository& repository, const Oid& good, const Oid& bad,
                        const Judge& judge, const BisectOptions& options) {
  const store::Reader& reader = repository.reader();
  if (good == bad || !TRY(store::is_on_line(reader, good, bad))) {
    return invalid(
        fmt::format("{} is not an earlier commit on the line of {}", good.hex(12), bad.hex(12)),
        "give an older commit as good, and a newer one on its line as bad");
  }
  if (options.votes == 0 || options.votes > options.ballots) {
    return invalid(fmt::format("{} of {} votes are not possible", options.votes, options.ballots),
                   "use 2 of 3, for example");
  }
  const std::uint64_t last_good = TRY(reader.commit(good))->depth;
  const std::uint64_t first_bad = TRY(reader.commit(bad))->depth;
  Bisection bisection(repository, bad, judge, options);
  return options.scan ? bisection.scan(last_good, first_bad)
                      : bisection.halve(last_good, first_bad);
}

}  // namespace spoor::graph
