#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin/deadline.h"
#include "agent/builtin/descriptor.h"
#include "store/result.h"

namespace spoor::agent::builtin {

/// Files below the root that something runs by itself, or that say what it runs: version control's
/// own folders and hooks, CI, start files of shells, tasks of editors, settings of agents
/// (docs/tools.md has the list). A model that may write them runs commands without asking.
///
/// They are write-protected, but for those that the user allowed. Paths are relative to the root,
/// without symbolic links; case of letters is ignored. Immutable.
class ProtectedPaths {
 public:
  /// Each of `allowed` is a path that may be written, with all below it.
  explicit ProtectedPaths(const std::vector<std::string>& allowed = {});

  bool has(std::string_view path) const;

  /// Those that are there, as paths, outermost first: what is in one is not named again. Symbolic
  /// links are passed over, and so is what is in a folder of dependencies or of a build
  /// (`node_modules`, `build`, …), deeper than kDepth, or beyond kMostLookedAt files.
  store::Result<std::vector<std::string>> present(Descriptor root, const Deadline& deadline) const;

  static store::Error refusal(std::string_view path);

  static constexpr std::size_t kDepth = 6;
  static constexpr std::size_t kMostLookedAt = 20'000;

 private:
  bool is_allowed(std::string_view path) const;
  bool has_allowed_below(std::string_view path) const;

  std::vector<std::string> allowed_;
};

}  // namespace spoor::agent::builtin
