#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/report.h"

// What the documents of a report have in common. Texts as they came, for the documents to escape.
namespace spoor::report {

/// What is known of the run: a name and a value each, none empty.
std::vector<std::pair<std::string, std::string>> facts_of(const Report& report);

/// `plan ×4, edit ×2, run_tests ×1`.
std::string actions_of(const Report& report);

/// `+12 −3`, `+12 −3 and more` where an edit did not say, `size unknown` where none did.
std::string diff_stat(const FileTouched& file);

/// The heading of the timeline's column: the time of day, or the whole of one that is none.
std::string time_of_day(const std::string& timestamp);

/// The word for what it is: its type, or `end` for the end of the run.
std::string_view label_of(const TimelineEntry& entry);

/// `1,204 tok, $0.0021`; empty when neither is known.
std::string spent_of(const TimelineEntry& entry);

/// `$0.0021`, `≈$0.0021` where it is estimated; empty: not known.
std::string money_of(const std::optional<llm::Money>& cost, bool is_estimated);

/// Is it known, and not as the source or our own record states it?
bool is_estimated(const trace::CostSum& cost);

/// `$0.0021`, or `≈$0.0021 (estimated from list prices)`; of a sum that lacks parts `≈$0.0021
/// (partial)`. Empty: not known.
std::string cost_phrase(const trace::CostSum& cost);

/// `1,204`, or `unknown`.
std::string tokens_of(const std::optional<std::uint64_t>& tokens);

}  // namespace spoor::report
