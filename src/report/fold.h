#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "report/report.h"

namespace spoor::report {

using trace::Artifact;
using trace::DecisionEvent;
using trace::Evaluation;

/// Events in, a report out; one at a time, in their order. Memory: what the lists of the report
/// keep. For one thread.
class Fold {
 public:
  explicit Fold(std::size_t most = 1'000) : report_(most) {}

  void add(const DecisionEvent& event);

  Report finish(report::debrief::Debrief debrief);

 private:
  void count_action(const DecisionEvent& event, bool is_bad);
  void count_edit(const DecisionEvent& event, const Artifact& artifact);
  void count_violations(const DecisionEvent& event);
  void add_point(const TimelineEntry& entry);

  Report report_;
  std::map<std::string, ViolationCount> violations_;
  std::uint64_t stride_ = 1;  // One point for so many events.
  SpentPoint sum_;
};

/// The worst of the three statuses of an evaluation: fail, warn, pass, unknown.
CheckStatus worst_of(const Evaluation& evaluation);

}  // namespace spoor::report
