#pragma once

#include <optional>
#include <string>

#include "store/sqlite/connection.h"
#include "store/sqlite/mark.h"

namespace spoor::store::sqlite {

/// Keeps promises about SQLite's log that SQLite does not: a failed commit is not in it; nothing is
/// acknowledged after frames that a failed sync may have lost; and the mark and the file (mark.h,
/// at_rest.h) record where the log ends. One per store and process; all calls under the writer
/// lock.
///
/// After a failed sync the kernel treats the pages it could not write as written, so a later sync
/// does not prove that they are on the disk. Therefore all frames that the mark does not cover and
/// that this process did not write are written again before the sync. A process that sees a sync
/// fail withdraws the mark, so that other processes know.
class LogKeeper {
 public:
  /// `commits` is how commits wait for the disk; `permissions` are those of a new mark.
  LogKeeper(const std::string& path, unsigned permissions, Sync commits)
      : path_(path), commits_(commits), mark_(path, permissions) {}

  /// Call before a transaction. Code::io if the remains of a failed commit cannot be removed.
  Result<void> begin(Connection& connection, Sync sync);

  struct Newest {
    std::uint64_t number = 0;
    Oid name;
  };
  /// Call after its commit, which is valid even if this fails. `newest` is the newest operation, if
  /// known.
  void committed(Connection& connection, Sync sync, const std::optional<Newest>& newest);

  /// Call after a failed commit and its rollback.
  void failed(Connection& connection);

  /// Copies the log back as far as readers allow, and leaves the log unchanged.
  Result<void> checkpoint(Connection& connection);

  /// Copies the log back and truncates it to zero bytes, unless a reader prevents it.
  Result<void> empty(Connection& connection);

 private:
  Result<void> write_again(Connection& connection, std::uint32_t from, std::uint32_t to);
  Result<void> drop_tail(Connection& connection);
  Result<void> vouch_again(Connection& connection);
  Result<void> write_mark(Connection& connection, const LogEnd& end,
                          const std::optional<Newest>& newest);
  Result<void> checkpoint(Connection& connection, bool truncate);
  void doubt(Connection& connection);

  const std::string path_;
  const Sync commits_;
  MarkFile mark_;
  // The frames that a sync by this process makes durable; nullopt after a failed sync.
  std::optional<LogEnd> trusted_;
  bool is_trusted_ = false;     // True if trusted_ ends right before the open transaction.
  bool has_tail_left_ = false;  // The remains of a failed commit may still be readable.
};

}  // namespace spoor::store::sqlite
