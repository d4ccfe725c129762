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

/// Why `name` may not be written or made in an open folder, which lies at `inside` below a root
/// (relative to it; empty: the root itself). Nothing: it may. `path` is how the error names it.
///
/// Protected are the names of protected_paths.h; every store and its side files (store_guard.h);
/// what git takes for a repository, would take for one then, or runs (git_folder.h).
std::optional<Error> refuse_write(const Closed& closed, const std::string& root,
                                  const std::string& inside, int folder, const std::string& name,
                                  std::string_view path);

/// A file or folder that is write-protected, as it was at one moment.
struct ProtectedFile {
  struct stat status {};
  bool is_store = false;  ///< it belongs to a store
};

/// By their paths relative to the root.
using ProtectedFiles = std::map<std::string, ProtectedFile>;

enum class Extent {
  outermost,  ///< what is in a protected folder is not named
  whole,      ///< the files in protected folders, too, but for git's objects
};

/// Those that are below `root`, with further names (hard links) of what is in them. A folder that
/// may not be read is one of them. Symbolic links are passed over, and so is what is in a folder of
/// dependencies or of a build (`node_modules`, `build`, …), what lies deeper than kProtectedDepth,
/// and what is in a folder that the user allowed.
///
/// Code::denied when there is more to look at than kMostFolders or kMostEntries, or too many names
/// in one folder: then nobody knows what is protected. Interrupted or denied at the deadline, io.
Result<ProtectedFiles> find_protected(const Root& root, Extent extent, const Deadline& deadline);

constexpr std::size_t kProtectedDepth = 6;
constexpr std::size_t kMostFolders = 50'000;
constexpr std::size_t kMostEntries = 500'000;

/// Makes the logs that SQLite reads beside a store and takes into it (`-wal`, `-journal`), where
/// they are missing: empty ones, which mean nothing, and stay. So they are there to be mounted
/// read-only, and a command makes none of its own. They are added to `files`.
Result<void> make_logs(const Root& root, ProtectedFiles& files);

/// The paths that are in one of them alone, or were changed, moved or replaced in between.
std::vector<std::string> changed_paths(const ProtectedFiles& before, const ProtectedFiles& after);

}  // namespace spoor::agent::builtin
