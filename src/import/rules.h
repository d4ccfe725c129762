#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::import {

/// The rules by which importers read records, a number: it grows when any of them makes other
/// commits of the same records. Turn commits do not hold it. A ref beside each line does, which
/// leads to a note of its own with `rules` in its meta; a line without one was read by rules 1.
inline constexpr std::int64_t kRules = 4;

/// The ref of a line's mark: `refs/imports/<tool>/<line>` for `refs/heads/<tool>/<line>`.
std::string rules_ref(std::string_view line);

/// The line that a branch belongs to: `refs/heads/codex/1a2b3c4d` for that one and for
/// `refs/heads/codex/1a2b3c4d-2`, if `has` says that there is such a line.
template <class Has>
std::string line_of_branch(const std::string& branch, const Has& has) {
  const auto dash = branch.rfind('-');
  if (dash == std::string::npos || dash + 1 == branch.size()) return branch;
  if (branch.find_first_not_of("0123456789", dash + 1) != std::string::npos) return branch;
  const std::string line = branch.substr(0, dash);
  return has(line) ? line : branch;
}

/// Marks a line as read by the rules of this program.
Result<void> mark_rules(graph::Draft& draft, std::string_view line);

/// Was `commit` made by the importer of `tool`? Copies of what it made were not.
bool is_imported(const store::Commit& commit, std::string_view tool);

/// The short names of the lines that an earlier program read, by older rules, in order; among
/// `branches` (full names), or all where there are none.
Result<std::vector<std::string>> lines_of_older_rules(
    const graph::Repository& repository, const std::vector<std::string>& branches = {});

}  // namespace spoor::import
