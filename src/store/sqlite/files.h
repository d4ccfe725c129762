#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::store::sqlite {

/// The location and identity of a store's file.
struct StoreFile {
  std::string path;          ///< absolute, without symbolic links
  unsigned permissions = 0;  ///< its read and write bits
  std::uint64_t device = 0;  ///< with `inode`: identifies the file, whatever its name
  std::uint64_t inode = 0;
};

/// Finds a store's file. Code::not_found, Code::invalid (a folder, a device) or Code::io, with a
/// hint.
Result<StoreFile> find_store_file(const std::string& path);

/// Returns Code::io unless the found file is still at its path and has no second name. Someone may
/// have moved, removed or replaced it; under a second name, programs would use another log.
Result<void> check_still_there(const StoreFile& file);

/// Returns the inode of the log next to the file. Code::io if the log was removed.
Result<std::uint64_t> inode_of_log(const StoreFile& file);

/// Returns the error for a removed log.
Error log_is_gone(const std::string& path);

/// Is given the path of a new store's file before the file gets its name.
using FinishStoreFile = std::function<Result<void>(const std::string& draft)>;

/// Creates an empty store at `path` that only its owner may read and write, completely or not at
/// all. `finish`, if any, is called with the path of the complete file before it gets its name; if
/// that fails, nothing is created. Code::conflict if `path` exists or the log of a former store
/// does; Code::not_found if the folder is missing.
Result<void> create_store_file(const std::string& path, const FinishStoreFile& finish = {});

/// Returns the URI of a file for SQLite; `query` is not changed.
std::string file_uri(const std::string& path, std::string_view query);

/// Returns whether this process may write the file at `path`, its folder, and SQLite's files next
/// to it.
bool may_be_written(const std::string& path);

/// Returns whether the disk has room left for the file at `path`; true if unknown.
bool has_room(const std::string& path);

/// Removes a store's file and the files next to it. No process may have it open. Code::io.
Result<void> remove_store(const std::string& path);

/// Returns whether the file or its log is close to this process's limit of file sizes
/// (setrlimit(2), RLIMIT_FSIZE). SQLite does not report why a write failed.
bool is_at_size_limit(const std::string& path);

/// Returns the error for a file at that limit.
Error too_large(const std::string& path);

/// Returns the error for a file whose disk is full.
Error no_room(const std::string& path);

/// Returns whether the log of the store at `path` is empty. Code::io if that cannot be determined.
Result<bool> is_log_empty(const std::string& path);

}  // namespace spoor::store::sqlite
