#include "report/source.h"

#include "guard/check/evaluations.h"
#include "report/debrief/graph_source.h"
#include "report/fold.h"

namespace spoor::report {
Result<Report> report_of(graph::Repository& repository, const std::optional<agent::RunName>& run,
                         const Oid& head, std::size_t most, const llm::PriceList& prices) {
  const auto judged = TRY(guard::check::read_evaluations(repository));
  Fold fold(most);
  const EventOptions options{.bundles = false, .prices = &prices, .judgements = &judged};
  TRY(project(repository, run, head, options, [&fold](DecisionEvent&& event) -> Result<void> {
    fold.add(event);
    return {};
  }));
  const debrief::GraphOptions read{.most = most, .prices = &prices};
  Report report = fold.finish(TRY(run ? debrief::debrief_of(repository, *run, read)
                                      : debrief::debrief_of(repository, head, read)));
  report.coverage = TRY(trace::coverage_of(repository, head, &report.totals));
  // By what can be typed again: the digits of a run, else of where the history was read from.
  report.run_id = run ? run->id : head.hex(16);
  return report;
}

}  // namespace spoor::report
