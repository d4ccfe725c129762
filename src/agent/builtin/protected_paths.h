#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::agent::builtin {

/// Names below the root whose files are run automatically, or that configure what is run: version
/// control's own folders and hooks, CI, start files of shells, tasks of editors, settings of agents
/// (docs/tools.md). A model that could write them could run commands without approval.
///
/// They are write-protected, except those that the user allowed. Paths are relative to the root,
/// without symbolic links; case is ignored. Reads no files; protected_files.h does. Immutable.
class ProtectedPaths {
 public:
  /// Each of `allowed` is a path that may be written, with everything below it.
  explicit ProtectedPaths(const std::vector<std::string>& allowed = {});

  /// Reports whether `path` is protected or below a protected path, and not allowed.
  bool has(std::string_view path) const;

  bool allows(std::string_view path) const;
  bool allows_below(std::string_view path) const;  ///< the path itself, or something below it

  static Error refusal(std::string_view path);

 private:
  std::vector<std::string> allowed_;  // In lower case.
};

}  // namespace spoor::agent::builtin
