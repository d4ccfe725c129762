#include "audit/check/history.h"

#include <utility>

#include "audit/event/projection.h"

namespace spoor::audit::check {

store::Result<void> judge_history(
    const graph::Repository& repository, const std::optional<agent::RunName>& run, const Oid& head,
    std::span<Checks> checks, bool with_prompts,
    const std::function<store::Result<void>(const DecisionEvent&, std::vector<CheckResult>)>&
        sink) {
  const EventOptions options{.bundles = with_prompts};
  return project(repository, run, head, options, [&](DecisionEvent&& event) -> store::Result<void> {
    std::vector<CheckResult> results;
    for (Checks& each : checks) {
      for (CheckResult& result : each.judge(event)) {
        results.push_back(std::move(result));
      }
      each.tell(event);
    }
    if (results.empty()) return {};
    return sink(event, std::move(results));
  });
}

}  // namespace spoor::audit::check
