#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spoor::store::sqlite {

/// Where a store's file really is.
struct StoreFile {
  std::string path;          ///< absolute, without symbolic links
  unsigned permissions = 0;  ///< its read and write bits
  std::uint64_t device = 0;  ///< with `inode`: which file it is, whatever its name
  std::uint64_t inode = 0;
};

/// Code::not_found, Code::invalid (a folder, a device) or Code::io, with a hint.
Result<StoreFile> find_store_file(const std::string& path);

/// Code::io unless the file that was found is still the one at its path: somebody has moved,
/// removed or replaced it, or given it a second name, by which others would write another log.
Result<void> check_still_there(const StoreFile& file);

/// Which file the log beside it is. Code::io when somebody has removed it.
Result<std::uint64_t> inode_of_log(const StoreFile& file);

/// The error of that.
Error log_is_gone(const std::string& path);

/// Makes an empty store at `path`, which its owner alone may read and write: it is there whole, or
/// not at all.
/// Code::conflict when something is there, or the log of a store that was; Code::not_found without
/// the folder.
Result<void> create_store_file(const std::string& path);

/// May this process write the file at `path`, its folder, and what SQLite has put beside it?
bool may_be_written(const std::string& path);

/// Has the disk of the file at `path` room left for it? Where that is not known, yes.
bool has_room(const std::string& path);

/// Takes a store's file and the files beside it away. Nobody has it open. Code::io.
Result<void> remove_store(const std::string& path);

/// Is the file, or the log beside it, about as large as a file of this process may be
/// (setrlimit(2), RLIMIT_FSIZE)? SQLite does not keep why a write failed.
bool is_at_size_limit(const std::string& path);

/// The error of that.
Error too_large(const std::string& path);

/// The error of a file that lacks it.
Error no_room(const std::string& path);

/// Is there nothing in the log beside the store at `path`? Code::io when the system does not say.
Result<bool> is_log_empty(const std::string& path);

}  // namespace spoor::store::sqlite
