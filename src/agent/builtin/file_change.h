#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "agent/builtin/deadline.h"
#include "agent/builtin/root.h"
#include "agent/tool.h"

namespace spoor::agent::builtin {

/// A file before a change.
struct OldFile {
  bool exists = false;
  std::string bytes;      ///< at most kMostChanged bytes; see is_whole
  bool is_whole = true;   ///< false: the file is longer, and `bytes` is its beginning
  struct stat status {};  ///< if it exists
};

/// A longer file cannot be edited; overwriting it makes no diff.
constexpr std::size_t kMostChanged = 16 * 1024 * 1024;

/// Reads the file at `place`. Returns Code::denied for a symbolic link (never written through), for
/// anything else that is not a regular file, and for a file without write permission.
Result<OldFile> read_old(const Root::WriteTarget& place, std::string_view path,
                         const Deadline& deadline);

/// A file that exists and is about to be changed.
struct ExistingFile {
  Root::WriteTarget place;
  OldFile old;  ///< whole
};

/// Finds and reads the file at `path` in the root. Returns Code::not_found if there is none,
/// Code::denied if it is longer than kMostChanged, and the errors of Root::place() and read_old().
Result<ExistingFile> read_existing(const Root& root, const std::string& path,
                                   const Deadline& deadline);

/// Writes `bytes` to a new file in the same folder and renames it into place, so readers see the
/// old file or the new one. Keeps the mode and, if permitted, the owner. Returns Code::conflict if
/// the file is no longer the one that was read.
Result<void> put_in_place(const Root::WriteTarget& place, const OldFile& old,
                          std::string_view bytes, std::string_view path);

/// Returns the result of a change: `text`, the unified diff attached (text/x-diff), and the facts
/// `artifact` (`file_edit`), `path`, `lines_added`, `lines_removed`. For a binary or too long file,
/// the diff only states that the files differ, and no lines are counted. Without a change there is
/// neither a diff nor `artifact`.
ToolResult change_result(std::string text, std::string_view path, const OldFile& old,
                         std::string_view bytes);

}  // namespace spoor::agent::builtin
