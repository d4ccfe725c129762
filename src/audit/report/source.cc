#include "audit/report/source.h"

#include "agent/debrief/run_debrief.h"
#include "agent/spent_facts.h"
#include "audit/check/evaluations.h"
#include "audit/report/fold.h"
#include "compile/facts_view.h"

namespace spoor::audit::report {
namespace {

agent::debrief::GraphOptions keeping(std::size_t most) { return {.most = most}; }

Result<agent::debrief::Debrief> debrief_of(compile::Repository& repository,
                                           const std::optional<agent::RunName>& run,
                                           const Oid& head, std::size_t most) {
  if (run) return agent::debrief::debrief_of(repository, *run, keeping(most));
  return agent::debrief::GraphSource(repository, keeping(most)).read(head);
}

}  // namespace

Result<Report> report_of(compile::Repository& repository, const std::optional<agent::RunName>& run,
                         const Oid& head, std::size_t most) {
  const auto judged = TRY(check::read_evaluations(repository));
  Fold fold(most);
  compile::FactsView facts;
  const auto take = [&](DecisionEvent&& event) -> Result<void> {
    const auto commit = TRY(repository.reader().commit(event.commit));
    TRY(facts.read(commit->meta));
    fold.add(event, agent::read_money(facts));
    return {};
  };
  TRY(project(repository, run, head, {.bundles = false, .judgements = &judged}, take));
  return fold.finish(TRY(debrief_of(repository, run, head, most)));
}

}  // namespace spoor::audit::report
