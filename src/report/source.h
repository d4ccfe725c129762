#pragma once

#include <cstddef>
#include <optional>

#include "agent/runs.h"
#include "llm/price.h"
#include "report/event/projection.h"
#include "report/report.h"

namespace spoor::report {

using store::Oid;

/// The report of a run at its head, or of the history of `head` where there is none. Its lists keep
/// `most` elements each. What was judged so far is part of it. Answers whose cost nothing tells are
/// priced by `prices`. Errors: those of reading.
Result<Report> report_of(graph::Repository& repository, const std::optional<agent::RunName>& run,
                         const Oid& head, std::size_t most, const llm::PriceList& prices);

}  // namespace spoor::report
