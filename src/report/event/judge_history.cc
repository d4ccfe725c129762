#include "report/event/judge_history.h"

#include <utility>

#include "report/event/projection.h"

namespace spoor::report {

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

}  // namespace spoor::report
