#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

/// A step of two runs next to each other. Pointers are valid as long as the compared debriefs.
struct AlignedStep {
  const PathEntry* before = nullptr;  ///< null: only the second run took it
  const PathEntry* after = nullptr;   ///< null: only the first run took it

  bool is_in_both() const { return before != nullptr && after != nullptr; }
  /// Returns true if both took it with different outcomes: another error, another exit code, no
  /// result.
  bool has_other_outcome() const;
  /// Returns true if both took it for different reasons.
  bool has_other_reason() const;
};

/// A comparison of two runs, decision by decision: their paths as a longest common subsequence of
/// actions (the tool and the call's target: its command, its path), or close to it if they are long
/// and differ in more than a thousand places (compile/diff.h). Entries that a list of a debrief
/// left out are not compared. Time and memory grow with the paths.
struct Comparison {
  const Debrief* before = nullptr;
  const Debrief* after = nullptr;
  std::vector<AlignedStep> steps;
  std::size_t same = 0, only_before = 0, only_after = 0, other_outcomes = 0;
  std::vector<const Assumption*> assumed_before, assumed_after;  ///< only in one of them

  /// Returns the first step that is not in both; null if the paths are equal.
  const AlignedStep* first_difference() const;
};

/// Compares two debriefs, which must outlive the result.
Comparison compare(const Debrief& before, const Debrief& after);

/// Returns the comparison as a tree of lines. `short_id` as in TreeOptions.
std::string to_text(const Comparison& comparison,
                    const std::function<std::string(const store::Oid&)>& short_id = {});

/// Returns the comparison as one canonical JSON object: docs/cli-json.md, "Debrief".
std::string to_json(const Comparison& comparison);

}  // namespace spoor::report::debrief
