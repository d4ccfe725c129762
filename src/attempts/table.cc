#include "attempts/table.h"

#include <algorithm>

#include "store/sha256.h"

namespace spoor::attempts {
namespace {

// A model's seed depends on its name only: the same outcomes give the same interval in each store.
std::uint64_t seed_of(const std::string& model) {
  const Oid digest = store::sha256(model);
  return std::stoull(digest.hex(16), nullptr, 16);
}

struct Sum {
  Variant variant;
  std::vector<Outcomes> tasks;
};

void add(const Filled& tree, Sum& sum) {
  Outcomes outcomes;
  bool is_any = false;
  for (const Row& row : tree.rows) {
    const bool is_other =
        row.attempt.model != sum.variant.model || row.attempt.state == State::dropped;
    if (is_other) continue;
    is_any = true;
    Variant& variant = sum.variant;
    ++variant.attempts;
    if (row.attempt.state == State::ended) ++variant.ended;
    if (row.verdict != Verdict::unjudged) ++outcomes.attempts;
    if (row.verdict == Verdict::pass) ++outcomes.passes;
    variant.tokens += row.attempt.tokens();
    const trace::Totals& totals = row.attempt.totals;
    if (totals.cost.money) {
      variant.cost = variant.cost.value_or(llm::Money()) + *totals.cost.money;
    }
    const bool has_asked = totals.answers + totals.failed_requests + totals.unsettled_requests > 0;
    if (has_asked && !trace::is_whole(totals.cost.trust)) variant.is_cost_complete = false;
  }
  if (!is_any) return;
  ++sum.variant.tasks;
  sum.variant.judged += outcomes.attempts;
  sum.variant.passes += outcomes.passes;
  sum.tasks.push_back(outcomes);
}

void finish(std::span<const std::uint64_t> ks, Sum& sum) {
  Variant& variant = sum.variant;
  const std::uint64_t seed = seed_of(variant.model);
  for (const std::uint64_t k : ks) {
    const auto value = mean_pass_at_k(sum.tasks, k);
    const auto interval = bootstrap(sum.tasks, k, seed);
    if (value && interval) variant.estimates.push_back({k, *value, *interval});
  }
  if (variant.cost && variant.passes > 0) {
    const auto passes = static_cast<std::int64_t>(variant.passes);
    variant.cost_per_pass = llm::Money{variant.cost->nano_dollars / passes};
  }
}

}  // namespace

Result<Filled> fill(const graph::Repository& repository, Tree tree, const Judgements& judgements,
                    const llm::PriceList* prices) {
  Filled filled{.tree = std::move(tree), .rows = {}};
  for (Attempt& attempt : TRY(attempts_of(repository, filled.tree, prices))) {
    const Verdict verdict = verdict_of(attempt, judgements);
    filled.rows.push_back({std::move(attempt), verdict});
  }
  return filled;
}

std::vector<Variant> variants_of(std::span<const Filled> trees, std::span<const std::uint64_t> ks) {
  std::vector<Sum> sums;
  for (const Filled& tree : trees) {
    for (const std::string& model : tree.tree.plan.models) {
      const bool is_known =
          std::ranges::any_of(sums, [&](const Sum& sum) { return sum.variant.model == model; });
      if (!is_known) sums.push_back({.variant = {.model = model}, .tasks = {}});
    }
  }
  std::vector<Variant> variants;
  for (Sum& sum : sums) {
    for (const Filled& tree : trees) add(tree, sum);
    finish(ks, sum);
    variants.push_back(std::move(sum.variant));
  }
  return variants;
}

}  // namespace spoor::attempts
