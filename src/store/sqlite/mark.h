#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"
#include "store/sqlite/log_end.h"

struct sqlite3_file;

namespace spoor::store::sqlite {

/// The high-water mark: the part of a store that was known to be on the disk, in the file
/// `FILE-mark` next to it (docs/format.md). It is written after the log's sync and is not synced
/// itself, so it may be some commits old but is never ahead of the disk.
struct Mark {
  std::uint64_t number = 0;  ///< of the newest operation; 0 if there was none
  Oid name;                  ///< its name; zero if there was none
  LogEnd log;                ///< the end of the log; no frames if it was emptied
  bool is_synced = true;     ///< false with durability `normal`, which does not wait for the disk

  bool operator==(const Mark&) const = default;
};

/// Returns the text of a mark, which has kMarkSize bytes.
std::string serialize(const Mark& mark);
constexpr std::size_t kMarkSize = 256;

/// Parses a mark. Code::corrupt unless serialize() returns the same text.
Result<Mark> parse_mark(std::string_view text);

/// Returns the path of a store's mark.
std::string mark_path(const std::string& store_path);

/// Reads the mark of the store; nullopt if it has none. Code::corrupt if it is damaged, Code::io if
/// it cannot be read.
Result<std::optional<Mark>> read_mark(const std::string& store_path);

/// Writes a store's mark. Under the writer lock.
class MarkFile {
 public:
  /// `permissions` are those of a new file.
  MarkFile(const std::string& store_path, unsigned permissions)
      : path_(mark_path(store_path)), permissions_(permissions) {}
  ~MarkFile();
  MarkFile(const MarkFile&) = delete;
  MarkFile& operator=(const MarkFile&) = delete;

  /// Code::io.
  Result<void> write(const Mark& mark);
  /// Returns whether the mark is what this object wrote last, or missing if it wrote nothing.
  bool is_as_written();
  /// Syncs the mark to the disk.
  Result<void> sync();

 private:
  Result<void> open();
  void close_file();

  const std::string path_;  // SQLite's file points to it.
  unsigned permissions_;
  std::unique_ptr<char[]> file_;  // Has the size that SQLite's VFS requires.
  bool is_open_ = false;
  std::string written_;
  sqlite3_file* file() const;
};

}  // namespace spoor::store::sqlite
