#pragma once

#include <string>

#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

/// The debrief as one JSON object, canonical (keys sorted, no white space): docs/cli-json.md,
/// "Debrief". Members are only ever added.
std::string to_json(const Debrief& debrief);

/// The name, the goal, how it ended and the counts alone: the same members.
std::string to_json_summary(const Debrief& debrief);

/// One entry of `path`.
std::string to_json(const PathEntry& entry);

}  // namespace spoor::report::debrief
