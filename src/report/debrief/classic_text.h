#pragma once

#include <string>

#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

/// The debrief as the tree that readers of Reactive Agents traces know, without a line end behind
/// its last line. Texts are cut and otherwise as they came: who shows them makes them harmless.
std::string classic_text(const Debrief& debrief);

}  // namespace spoor::report::debrief
