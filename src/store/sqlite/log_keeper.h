#pragma once

#include <optional>
#include <string>

#include "store/sqlite/connection.h"
#include "store/sqlite/mark.h"

namespace spoor::store::sqlite {

/// Keeps the promises about SQLite's log that SQLite does not: that a commit which failed is not in
/// it, that nothing is acknowledged behind frames which a failed sync may have lost, and that the
/// mark and the file (mark.h, at_rest.h) tell how far the log goes. One per store and process; all
/// calls under the writer lock.
///
/// After a failed sync the kernel takes the pages that it could not write for written, so that the
/// next sync is no proof for them. They are therefore written again before it: all frames that no
/// mark vouches for and that this process did not write itself. Whoever sees a sync fail takes back
/// what the mark vouches for, so that the others know.
class LogKeeper {
 public:
  /// `commits` is how commits wait for the disk; `permissions` are a new mark's.
  LogKeeper(const std::string& path, unsigned permissions, Sync commits)
      : path_(path), commits_(commits), mark_(path, permissions) {}

  /// Before a transaction. Code::io when what a failed commit left cannot be taken away.
  Result<void> begin(Connection& connection, Sync sync);

  struct Newest {
    std::uint64_t number = 0;
    Oid name;
  };
  /// After its commit, which stands whatever becomes of this. `newest` is the newest operation,
  /// where that is known.
  void committed(Connection& connection, Sync sync, const std::optional<Newest>& newest);

  /// After a commit that failed, and the rollback.
  void failed(Connection& connection);

  /// Copies back what readers let it, and leaves the log as it is.
  Result<void> checkpoint(Connection& connection);

  /// Copies the log back and cuts it to nothing, where no reader is in the way.
  Result<void> empty(Connection& connection);

 private:
  Result<void> write_again(Connection& connection, std::uint32_t from, std::uint32_t to);
  Result<void> drop_tail(Connection& connection);
  Result<void> write_mark(Connection& connection, const LogEnd& end,
                          const std::optional<Newest>& newest);
  Result<void> checkpoint(Connection& connection, bool truncate);
  void doubt(Connection& connection);

  const std::string path_;
  const Sync commits_;
  MarkFile mark_;
  // Frames whose pages a sync of this process brings to the disk; none after one that failed.
  std::optional<LogEnd> trusted_;
  bool is_trusted_ = false;     // Are the frames before the open transaction these?
  bool has_tail_left_ = false;  // What a failed commit wrote may still be read.
};

}  // namespace spoor::store::sqlite
