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

// Of an answer that says what it took and not what it cost; nothing where it came out of a cache.
std::optional<llm::Money> price_of(const DecisionEvent& event, const llm::PriceList& prices) {
  const PromptProvenance& asked = event.prompt_provenance;
  if (!event.model_output || asked.attempts == 0) return std::nullopt;
  const llm::Price* price = prices.find(asked.provider, asked.model);
  const auto cost = price ? llm::cost_of(event.model_output->usage, *price) : std::nullopt;
  return cost ? std::optional(cost->amount) : std::nullopt;
}

}  // namespace

Result<Report> report_of(compile::Repository& repository, const std::optional<agent::RunName>& run,
                         const Oid& head, std::size_t most, const llm::PriceList& prices) {
  const auto judged = TRY(check::read_evaluations(repository));
  Fold fold(most);
  compile::FactsView facts;
  const auto take = [&](DecisionEvent&& event) -> Result<void> {
    const auto commit = TRY(repository.reader().commit(event.commit));
    TRY(facts.read(commit->meta));
    auto cost = agent::read_money(facts);
    if (event.model_output && event.model_output->cost) cost = event.model_output->cost;
    const auto estimated = cost ? std::nullopt : price_of(event, prices);
    fold.add(event, cost ? cost : estimated, estimated.has_value());
    return {};
  };
  TRY(project(repository, run, head, {.bundles = false, .judgements = &judged}, take));
  Report report = fold.finish(TRY(debrief_of(repository, run, head, most)));
  // By what can be typed again: the digits of a run, else of where the history was read from.
  report.run_id = run ? run->id : head.hex(16);
  return report;
}

}  // namespace spoor::audit::report
