#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::agent::builtin {

/// Names below the root whose files something runs by itself, or that say what it runs: version
/// control's own folders and hooks, CI, start files of shells, tasks of editors, settings of agents
/// (docs/tools.md). A model that may write them runs commands without asking.
///
/// They are write-protected, but for those that the user allowed. Paths are relative to the root,
/// without symbolic links; case of letters is ignored. Looks at no file: protected_files.h does.
/// Immutable.
class ProtectedPaths {
 public:
  /// Each of `allowed` is a path that may be written, with all below it.
  explicit ProtectedPaths(const std::vector<std::string>& allowed = {});

  /// Is it one, or below one, and not allowed?
  bool has(std::string_view path) const;

  bool allows(std::string_view path) const;
  bool allows_below(std::string_view path) const;  ///< the path itself, or something in it

  static Error refusal(std::string_view path);

 private:
  std::vector<std::string> allowed_;  // In small letters.
};

}  // namespace spoor::agent::builtin
