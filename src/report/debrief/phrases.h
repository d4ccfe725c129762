#pragma once

#include <cstdint>
#include <string>

#include "report/debrief/debrief.h"

// Phrases that several renderings share. Each is one line; texts are not escaped.
namespace spoor::report::debrief {

/// Returns `ok, 3 files`, `error: no such file`, `exit 2, one test failed`, `no result`.
std::string phrase_of(const std::optional<Outcome>& outcome);

/// Returns the status: how the run stopped, `unfinished`, or `waiting` for a person.
std::string status_of(const Debrief& debrief);

/// Returns `850 ms`, `2.5 s`, `3 min 05 s`, `2 h 05 min`.
std::string elapsed(std::int64_t ms);

/// Returns `1204 tok, $0.0021`; empty if neither is known.
std::string phrase_of(const TokenCost& cost);

/// Returns `rev: run 41daeb83, goal_achieved, 3 steps, 1 of 2 calls failed, 1204 tok, $0.0021`.
std::string phrase_of(const CalledAgent& called);

/// Returns `spent 0.26 of 0.25`; empty if no threshold was reached.
std::string threshold_of(const Termination& termination);

/// Returns `2 of 3 calls explained`.
std::string coverage_of(const Debrief& debrief);

/// Returns `success | 1500 tok | $0.004 | 2.5 s | 2 of 2 calls explained`.
std::string verdict_of(const Debrief& debrief);

/// Returns the source of a reason that was not asked for: ` (thinking)`, ` (prose)`, `
/// (description)`; else empty.
std::string source_of(const PathEntry& entry);

/// Returns `step 3 of run 3f2a91c4` for a run that continues another one; else empty.
std::string origin_of(const Debrief& debrief);

/// Returns the path on one line, with `×3` after a tool that was called repeatedly, at most `most`
/// code points.
std::string path_of(const Debrief& debrief, std::size_t most);

}  // namespace spoor::report::debrief
