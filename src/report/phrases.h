#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/report.h"

// Phrases that the documents of a report share. They are not escaped; the documents escape them.
namespace spoor::report {

/// Returns the known facts of the run: a name and a value each, none empty.
std::vector<std::pair<std::string, std::string>> facts_of(const Report& report);

/// Returns `plan ×4, edit ×2, run_tests ×1`.
std::string actions_of(const Report& report);

/// Returns `+12 −3`, `+12 −3 and more` if an edit has no counts, `size unknown` if none has.
std::string diff_stat(const FileTouched& file);

/// Returns the time of day for the timeline's column, or all of `timestamp` if it is not a time.
std::string time_of_day(const std::string& timestamp);

/// Returns the label of an entry: its type, or `end` for the end of the run.
std::string_view label_of(const TimelineEntry& entry);

/// Returns `1,204 tok, $0.0021`; empty if neither is known.
std::string spent_of(const TimelineEntry& entry);

/// Returns `$0.0021`, or `≈$0.0021` if it is estimated; empty if it is not known.
std::string money_of(const std::optional<llm::Money>& cost, bool is_estimated);

/// Returns true if the cost is known, but not as stated by the source or spoor's own record.
bool is_estimated(const trace::CostSum& cost);

/// Returns `$0.0021`, or `≈$0.0021 (estimated from list prices)`, or `≈$0.0021 (partial)` for a sum
/// that lacks parts. Empty if it is not known.
std::string cost_phrase(const trace::CostSum& cost);

/// Returns `1,204`, or `unknown`.
std::string tokens_of(const std::optional<std::uint64_t>& tokens);

}  // namespace spoor::report
