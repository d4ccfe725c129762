#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace spoor::report {

/// Tokens and, where it is known, cost by event, both summed up, as one SVG element of HTML: no
/// script, no style of its own but the classes `tokens`, `cost`, `bad`, `axis`. Empty for less
/// than two points. Holds no text of the run.
std::string spending_plot(const std::vector<SpentPoint>& points, bool has_cost);

}  // namespace spoor::report
