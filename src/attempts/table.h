#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attempts/pass_at_k.h"
#include "attempts/tree.h"
#include "attempts/verdict.h"

namespace spoor::attempts {

/// An attempt with its verdict.
struct Row {
  Attempt attempt;
  Verdict verdict = Verdict::unjudged;
};

/// A tree with all its attempts.
struct Filled {
  Tree tree;
  std::vector<Row> rows;
};

Result<Filled> fill(const graph::Repository& repository, Tree tree, const Judgements& judgements,
                    const llm::PriceList* prices);

/// An estimate of pass@k.
struct Estimate {
  std::uint64_t k = 0;
  double value = 0;
  Interval interval;
};

/// The sums over the attempts of one model, in one tree or several.
struct Variant {
  std::string model;
  std::uint64_t tasks = 0;     ///< trees
  std::uint64_t attempts = 0;  ///< planned, without those that were dropped
  std::uint64_t ended = 0;
  std::uint64_t judged = 0;
  std::uint64_t passes = 0;
  std::vector<Estimate> estimates;  ///< for each asked k that the judged attempts allow
  std::uint64_t tokens = 0;
  std::optional<llm::Money> cost;  ///< the known part; nullopt: nothing is known
  bool is_cost_complete = true;
  std::optional<llm::Money> cost_per_pass;  ///< nullopt: no pass, or the cost is unknown
};

/// Adds up the attempts of each model, in the order of the plans. `ks`: for which k pass@k is
/// estimated. Each tree is a task. Only judged attempts count as attempts of pass@k.
std::vector<Variant> variants_of(std::span<const Filled> trees, std::span<const std::uint64_t> ks);

}  // namespace spoor::attempts
