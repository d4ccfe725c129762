#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/debrief/debrief.h"
#include "store/reader.h"

namespace spoor::report::debrief {

/// Reads the unread reasons of these entries.
Result<void> read_reasons(const store::Reader& reader, const std::vector<PathEntry*>& entries);

/// Reads only the texts that a debrief shows and that are not in its commits: the reasons of the
/// calls on the path, the first line of their results, the texts and reasons in the other lists.
/// Does not read anything twice. Absent texts are read as empty.
Result<void> read_shown(const store::Reader& reader, Debrief& debrief);

}  // namespace spoor::report::debrief
