#pragma once

#include <cstddef>
#include <optional>

#include "agent/runs.h"
#include "graph/repository.h"
#include "llm/price.h"
#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

/// How much of a history to read.
struct GraphOptions {
  std::size_t most = 1'000;  ///< the size of each list (bounded_list.h)
  /// Read only the commits: no reasons, no texts except the goal. For listings.
  bool summary = false;
  /// Prices of answers that state no cost; null: such a cost is unknown.
  const llm::PriceList* prices = nullptr;
};

/// Returns the debrief of a run at its head, with its critic's calls: a fold over the steps of the
/// run (trace/deriver.h). Absent bytes are read as empty. Returns the errors of reading.
Result<Debrief> debrief_of(const graph::Repository& repository, const RunName& run,
                           const GraphOptions& options = {});

/// Returns the debrief of a history that no run wrote, such as an imported session: all first
/// parents of `head`.
Result<Debrief> debrief_of(const graph::Repository& repository, const Oid& head,
                           const GraphOptions& options = {});

}  // namespace spoor::report::debrief
