#pragma once

#include <string>

#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

/// The debrief as one HTML file: no script, nothing from elsewhere, and a content security policy
/// that allows neither. Every text of the run is escaped; characters that control a terminal or
/// turn the direction of text are shown by their code.
std::string to_html(const Debrief& debrief);

}  // namespace spoor::report::debrief
