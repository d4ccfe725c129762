#pragma once

#include <string>

#include "trace/totals.h"

namespace spoor::trace {

/// Returns the counts as a JSON object, the member `totals` of every view (docs/cli-json.md).
std::string to_json(const Totals& totals);

}  // namespace spoor::trace
