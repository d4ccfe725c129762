#include "report/debrief/debrief.h"

#include <algorithm>

namespace spoor::report::debrief {

Debrief::Debrief(std::size_t most)
    : path(most),
      assumptions(most),
      curator(most),
      alternatives(most),
      reactions(most),
      unknown_refs(most),
      notes(most),
      agents(most),
      calibration{{{0, 0.5}, {0.5, 0.7}, {0.7, 0.9}, {0.9, 1}}} {}

std::string decision_of(const PathEntry& entry) {
  if (!entry.is_switch) return "tool-selection";
  return "strategy-switch:" + entry.from + "→" + entry.to;
}
std::string decision_of(const CuratorAction& action) { return "curator-" + action.action; }
std::string decision_of(const Reaction& reaction) { return "reactive-" + reaction.action; }
std::string decision_of(const Termination& termination) { return "termination:" + termination.by; }

std::vector<DecisionReason> reasons_of(const Debrief& debrief) {
  std::vector<std::pair<std::uint64_t, DecisionReason>> found;
  using Source = trace::Reason::Source;
  const auto take = [&found](const auto& entry, const std::string& tool,
                             Source source = Source::rationale) {
    if (!entry.rationale) return;
    found.push_back({entry.place.order,
                     {entry.place.step, decision_of(entry), tool, *entry.rationale,
                      std::string(trace::name_of(source))}});
  };
  debrief.path.visit([&](const PathEntry& entry) {
    take(entry, entry.tool, entry.is_switch ? Source::rationale : entry.reason_source);
  });
  debrief.curator.visit([&](const CuratorAction& action) { take(action, ""); });
  debrief.reactions.visit([&](const Reaction& reaction) { take(reaction, ""); });
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  take(debrief.termination, "");

  std::vector<DecisionReason> reasons;
  reasons.reserve(found.size());
  for (auto& [order, reason] : found) reasons.push_back(std::move(reason));
  return reasons;
}

}  // namespace spoor::report::debrief
