#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

/// A step of two runs side by side. Pointers live as long as the debriefs that were compared.
struct AlignedStep {
  const PathEntry* before = nullptr;  ///< null: only the second run took it
  const PathEntry* after = nullptr;   ///< null: only the first did

  bool is_in_both() const { return before != nullptr && after != nullptr; }
  /// In both, but it came to another end: another error, another exit code, no result.
  bool has_other_outcome() const;
  /// In both, for another reason.
  bool has_other_reason() const;
};

/// Two runs, decision by decision: their paths as a longest common subsequence of actions (the tool
/// and what the call is about: its command, its path), or near
/// to one where they are long and differ in more than a thousand places (compile/diff.h).
/// What a list of a debrief has left out is not compared. Time and memory grow with the paths.
struct Comparison {
  const Debrief* before = nullptr;
  const Debrief* after = nullptr;
  std::vector<AlignedStep> steps;
  std::size_t same = 0, only_before = 0, only_after = 0, other_outcomes = 0;
  std::vector<const Assumption*> assumed_before, assumed_after;  ///< by one of them alone

  /// The first step that is not in both; null: the paths are equal.
  const AlignedStep* first_difference() const;
};

/// Both must outlive what is returned.
Comparison compare(const Debrief& before, const Debrief& after);

/// The comparison as a tree of lines. `short_id` as in TreeOptions.
std::string to_text(const Comparison& comparison,
                    const std::function<std::string(const store::Oid&)>& short_id = {});

/// The comparison as one canonical JSON object: docs/cli-json.md, "Debrief".
std::string to_json(const Comparison& comparison);

}  // namespace spoor::report::debrief
