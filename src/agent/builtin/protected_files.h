#pragma once

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin/deadline.h"
#include "agent/builtin/root.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// Returns the reason why `name` may not be written or made in an open folder, which is at `inside`
/// below a root (relative; empty: the root itself). Returns nullopt if it may. `path` is the name
/// used in the error.
///
/// Protected are the names of protected_paths.h; every store and its side files (store_guard.h);
/// and every path that git treats as a repository, would then treat as one, or runs (git_folder.h).
std::optional<Error> refuse_write(const Closed& closed, const std::string& root,
                                  const std::string& inside, int folder, const std::string& name,
                                  std::string_view path);

/// A write-protected file or folder at one moment.
struct ProtectedFile {
  struct stat status {};
  bool is_store = false;  ///< it is part of a store
};

/// By path relative to the root.
using ProtectedFiles = std::map<std::string, ProtectedFile>;

enum class Extent {
  outermost,  ///< without the contents of protected folders
  whole,      ///< with the files in protected folders, except git's objects
};

/// Finds the protected files below `root`, and further names (hard links) of their contents. An
/// unreadable folder counts as protected. Skips symbolic links, folders of dependencies or builds
/// (`node_modules`, `build`, …), everything deeper than kProtectedDepth, and folders that the user
/// allowed.
///
/// Returns Code::denied if there are more than kMostFolders or kMostEntries, or too many names in
/// one folder, since the protected files are then unknown. Returns Code::io; Code::interrupted or
/// Code::denied at the deadline.
Result<ProtectedFiles> find_protected(const Root& root, Extent extent, const Deadline& deadline);

constexpr std::size_t kProtectedDepth = 6;
constexpr std::size_t kMostFolders = 50'000;
constexpr std::size_t kMostEntries = 500'000;

/// Makes the missing logs that SQLite reads with a store and merges into it (`-wal`, `-journal`).
/// Empty logs have no effect; they stay. They exist so that they can be mounted read-only and a
/// command cannot make its own. Adds them to `files`.
Result<void> make_logs(const Root& root, ProtectedFiles& files);

/// Returns the paths that are in only one of them, or were changed, moved or replaced in between.
std::vector<std::string> changed_paths(const ProtectedFiles& before, const ProtectedFiles& after);

}  // namespace spoor::agent::builtin
