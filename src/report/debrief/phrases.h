#pragma once

#include <cstdint>
#include <string>

#include "report/debrief/debrief.h"

// Parts of lines that more than one rendering has. All on one line each; texts as they came.
namespace spoor::report::debrief {

/// `ok, 3 files`, `error: no such file`, `exit 2, one test failed`, `no result`.
std::string phrase_of(const std::optional<Outcome>& outcome);

/// The word for where it stands: how it stopped, `unfinished`, or `waiting` for a person.
std::string status_of(const Debrief& debrief);

/// `850 ms`, `2.5 s`, `3 min 05 s`, `2 h 05 min`.
std::string elapsed(std::int64_t ms);

/// `1204 tok, $0.0021`; empty when neither is known.
std::string phrase_of(const Cost& cost);

/// `spent 0.26 of 0.25`; empty where no threshold was reached.
std::string threshold_of(const Termination& termination);

/// `2 of 3 calls explained`.
std::string coverage_of(const Debrief& debrief);

/// `success | 1500 tok | $0.004 | 2.5 s | 2 of 2 calls explained`.
std::string verdict_of(const Debrief& debrief);

/// ` (thinking)`, ` (prose)`, ` (description)`: where a reason is from that nobody asked for; else
/// empty.
std::string source_of(const PathEntry& entry);

/// `step 3 of run 3f2a91c4`, for a run that goes on from another one; empty for most.
std::string origin_of(const Debrief& debrief);

/// The path on one line, with `×3` where a tool was called in a row, at most `most` code points.
std::string path_of(const Debrief& debrief, std::size_t most);

}  // namespace spoor::report::debrief
