#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "agent/builtin/deadline.h"
#include "agent/builtin/root.h"
#include "agent/tool.h"

namespace spoor::agent::builtin {

/// What lies at a place before it is changed.
struct OldFile {
  bool exists = false;
  std::string bytes;      ///< at most kMostChanged; see is_whole
  bool is_whole = true;   ///< false: it is longer, and `bytes` is its beginning
  struct stat status {};  ///< where it exists
};

/// A file that is longer is not edited, and a write over it has no diff.
constexpr std::size_t kMostChanged = 16 * 1024 * 1024;

/// Reads what is at `place`. Code::denied for a symbolic link (which is not written through), for
/// what is no regular file and for what nobody may write.
Result<OldFile> read_old(const Root::Place& place, std::string_view path, const Deadline& deadline);

/// Writes `bytes` to a new file beside and renames it into place: who reads sees the old file or
/// the new one. Mode and, where we may, owner stay. Code::conflict when the file is no longer the
/// one that was read.
Result<void> put_in_place(const Root::Place& place, const OldFile& old, std::string_view bytes,
                          std::string_view path);

/// What a tool says of it: `text`; the unified diff attached (text/x-diff); facts `artifact`
/// (`file_edit`), `path`, `lines_added`, `lines_removed`. A diff of what is not text, or too long,
/// says only that they differ, and no lines are counted. Without a change there is neither diff nor
/// `artifact`.
ToolResult change_result(std::string text, std::string_view path, const OldFile& old,
                         std::string_view bytes);

}  // namespace spoor::agent::builtin
