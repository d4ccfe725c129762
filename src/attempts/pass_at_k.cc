#include "attempts/pass_at_k.h"

#include <algorithm>
#include <vector>

namespace spoor::attempts {
namespace {

// SplitMix64 (Steele, Lea and Flood 2014): small, and the same everywhere, which the distributions
// of the standard library are not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  // Returns a number below `limit`, which is less than 2^32.
  std::uint64_t below(std::uint64_t limit) { return ((next() >> 32U) * limit) >> 32U; }

 private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }

  std::uint64_t state_;
};

double resampled_attempts(const Outcomes& task, std::uint64_t k, Draws& draws) {
  Outcomes drawn{.attempts = task.attempts};
  for (std::uint64_t i = 0; i < task.attempts; ++i) {
    if (draws.below(task.attempts) < task.passes) ++drawn.passes;
  }
  return pass_at_k(drawn, k).value_or(0);
}

double resampled_tasks(const std::vector<double>& estimates, Draws& draws) {
  double sum = 0;
  for (std::size_t i = 0; i < estimates.size(); ++i)
    sum += estimates[draws.below(estimates.size())];
  return sum / static_cast<double>(estimates.size());
}

}  // namespace

std::optional<double> pass_at_k(const Outcomes& outcomes, std::uint64_t k) {
  const std::uint64_t failures = outcomes.attempts - outcomes.passes;
  if (k == 0 || k > outcomes.attempts) return std::nullopt;
  if (failures < k) return 1.0;
  // The product form of the quotient of binomials, which does not overflow.
  double none = 1.0;
  for (std::uint64_t i = failures + 1; i <= outcomes.attempts; ++i) {
    none *= 1.0 - static_cast<double>(k) / static_cast<double>(i);
  }
  return 1.0 - none;
}

std::optional<double> mean_pass_at_k(std::span<const Outcomes> tasks, std::uint64_t k) {
  double sum = 0;
  std::uint64_t counted = 0;
  for (const Outcomes& task : tasks) {
    const auto estimate = pass_at_k(task, k);
    if (!estimate) continue;
    sum += *estimate;
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  return sum / static_cast<double>(counted);
}

std::optional<Interval> bootstrap(std::span<const Outcomes> tasks, std::uint64_t k,
                                  std::uint64_t seed) {
  std::vector<double> estimates;
  const Outcomes* only = nullptr;
  for (const Outcomes& task : tasks) {
    const auto estimate = pass_at_k(task, k);
    if (!estimate) continue;
    estimates.push_back(*estimate);
    only = &task;
  }
  if (estimates.empty()) return std::nullopt;
  Draws draws(seed);
  std::vector<double> values;
  values.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    values.push_back(estimates.size() == 1 ? resampled_attempts(*only, k, draws)
                                           : resampled_tasks(estimates, draws));
  }
  std::sort(values.begin(), values.end());
  constexpr std::size_t kTail = kResamples / 40;  // 2.5 %.
  return Interval{.low = values[kTail], .high = values[values.size() - 1 - kTail]};
}

}  // namespace spoor::attempts
