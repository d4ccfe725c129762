#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::import {

/// The version of the rules by which importers read records. It increases when a change makes other
/// commits of the same records. Turn commits do not contain it: a separate ref for each line points
/// to a note with `rules` in its meta. A line without that ref was read by rules 1.
inline constexpr std::int64_t kRules = 5;

/// Returns the ref of a line's mark: `refs/imports/<tool>/<line>` for `refs/heads/<tool>/<line>`.
std::string rules_ref(std::string_view line);

/// Returns the line that a branch belongs to: `refs/heads/codex/1a2b3c4d` for that branch, and also
/// for `refs/heads/codex/1a2b3c4d-2` if `has` returns true for that line.
template <class Has>
std::string line_of_branch(const std::string& branch, const Has& has) {
  const auto dash = branch.rfind('-');
  if (dash == std::string::npos || dash + 1 == branch.size()) return branch;
  if (branch.find_first_not_of("0123456789", dash + 1) != std::string::npos) return branch;
  const std::string line = branch.substr(0, dash);
  return has(line) ? line : branch;
}

/// Marks a line as read by this program's rules.
Result<void> mark_rules(graph::Draft& draft, std::string_view line);

/// Returns true if the importer of `tool` made `commit`. Copies of imported commits do not count.
bool is_imported(const store::Commit& commit, std::string_view tool);

/// Returns the short names of the lines that an earlier program read by older rules, in order.
/// Looks at `branches` (full names), or at all if `branches` is empty.
Result<std::vector<std::string>> lines_of_older_rules(
    const graph::Repository& repository, const std::vector<std::string>& branches = {});

}  // namespace spoor::import
