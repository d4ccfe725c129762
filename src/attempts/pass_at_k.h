#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace spoor::attempts {

/// The judged attempts at one task.
struct Outcomes {
  std::uint64_t attempts = 0;
  std::uint64_t passes = 0;  ///< of the attempts
};

/// Returns the unbiased estimate of the probability that at least one of `k` attempts passes: 1 -
/// C(n-c, k) / C(n, k) for c passes in n attempts (Chen et al. 2021, arxiv.org/abs/2107.03374).
/// Returns nullopt if `k` is 0 or more than n.
std::optional<double> pass_at_k(const Outcomes& outcomes, std::uint64_t k);

/// Returns the mean of pass_at_k() over the tasks that have at least `k` attempts; nullopt if none
/// has.
std::optional<double> mean_pass_at_k(std::span<const Outcomes> tasks, std::uint64_t k);

/// The bounds of a 95 % interval.
struct Interval {
  double low = 0;
  double high = 0;
};

constexpr int kResamples = 10'000;

/// Returns the percentile bootstrap interval of mean_pass_at_k() from kResamples resamples. If
/// there is one task, its attempts are drawn, else the tasks, each with its attempts. The same
/// arguments give the same interval on every machine. Returns nullopt as mean_pass_at_k() does.
///
/// If all attempts agree, so do all resamples, and the interval is a point.
std::optional<Interval> bootstrap(std::span<const Outcomes> tasks, std::uint64_t k,
                                  std::uint64_t seed);

}  // namespace spoor::attempts
