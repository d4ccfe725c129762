#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/debrief/debrief.h"
#include "store/reader.h"

namespace spoor::report::debrief {

/// Reads the reasons of these entries that are unread.
Result<void> read_reasons(const store::Reader& reader, const std::vector<PathEntry*>& entries);

/// Reads what a debrief shows and its commits do not say themselves, and no more: the reasons of
/// the calls on the path, the first line of their results, the texts and reasons of what stands in
/// the other lists. What was read already is not read again; what is absent is as if it were empty.
Result<void> read_shown(const store::Reader& reader, Debrief& debrief);

}  // namespace spoor::report::debrief
