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

/// How far a store was known to be on the disk: the high-water mark, in the file `FILE-mark` beside
/// it (docs/format.md). It is written after the log's sync and without one of its own, so it may be
/// of some commits ago and is never ahead of the disk.
struct Mark {
  std::uint64_t number = 0;  ///< of the newest operation; 0 when there was none
  Oid name;                  ///< its name; zero when there was none
  LogEnd log;                ///< so much of the log; no frames when the log was emptied
  bool is_synced = true;     ///< false with durability `normal`, which waits for no disk

  bool operator==(const Mark&) const = default;
};

/// The text of a mark, which has this size.
std::string serialize(const Mark& mark);
constexpr std::size_t kMarkSize = 256;

/// Code::corrupt unless it is what serialize() gives.
Result<Mark> parse_mark(std::string_view text);

/// Where a store has its mark.
std::string mark_path(const std::string& store_path);

/// The mark of the store; nothing when it has none. Code::corrupt when it is damaged, Code::io when
/// it cannot be read.
Result<std::optional<Mark>> read_mark(const std::string& store_path);

/// A store's mark for who writes it. Under the writer lock.
class MarkFile {
 public:
  /// `permissions` are a new file's.
  MarkFile(const std::string& store_path, unsigned permissions)
      : path_(mark_path(store_path)), permissions_(permissions) {}
  ~MarkFile();
  MarkFile(const MarkFile&) = delete;
  MarkFile& operator=(const MarkFile&) = delete;

  /// Code::io.
  Result<void> write(const Mark& mark);
  /// Is the mark what this wrote last? Where nothing was written, there is none.
  bool is_as_written();
  /// Sees to it that the disk has what was written.
  Result<void> sync();

 private:
  Result<void> open();
  void close_file();

  const std::string path_;  // SQLite's file points to it.
  unsigned permissions_;
  std::unique_ptr<char[]> file_;  // As large as SQLite's system layer wants its files.
  bool is_open_ = false;
  std::string written_;
  sqlite3_file* file() const;
};

}  // namespace spoor::store::sqlite
