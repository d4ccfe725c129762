#pragma once

#include <string>

#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

/// The debrief as a Markdown document (CommonMark), with the section `## Decision Rationale`. Texts
/// of the run are escaped, so that they are text there, whatever they hold.
std::string to_markdown(const Debrief& debrief);

}  // namespace spoor::report::debrief
