#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "audit/report/report.h"

namespace spoor::audit::report {

/// Events in, a report out; one at a time, in their order. Memory: what the lists of the report
/// keep, and the ids of the answers, so that one that stands in two commits is counted once. For
/// one thread.
class Fold {
 public:
  explicit Fold(std::size_t most = 1'000) : report_(most) {}

  /// `cost`: of the model's answer or of the tool; nothing where it is not known.
  void add(const DecisionEvent& event, const std::optional<llm::Money>& cost,
           bool is_estimated = false);

  Report finish(agent::debrief::Debrief debrief);

 private:
  struct Spent {
    std::optional<std::int64_t> input = {}, output = {};
    std::optional<llm::Money> cost = {};
    bool is_estimated = false;
  };

  Spent spent_by(const DecisionEvent& event, const std::optional<llm::Money>& cost);
  void count_model(const DecisionEvent& event, const Spent& spent);
  void count_action(const DecisionEvent& event, bool is_bad);
  void count_edit(const DecisionEvent& event, const Artifact& artifact);
  void count_violations(const DecisionEvent& event);
  void add_point(const Spent& spent, bool is_bad);

  Report report_;
  std::unordered_set<std::string> answers_;  // Whose tokens were counted.
  std::map<std::string, ViolationCount> violations_;
  std::uint64_t stride_ = 1;  // One point for so many events.
  SpentPoint sum_;
};

/// The worst of the three statuses of an evaluation: fail, warn, pass, unknown.
CheckStatus worst_of(const Evaluation& evaluation);

}  // namespace spoor::audit::report
