#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "store/ref_log.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// The refs as this process last saw them. The operation log is the truth. The table `refs` is a
/// snapshot of it as of an earlier operation, rewritten every kSnapshotEvery operations, so that
/// most commits need not touch it. A reader takes the snapshot and the operations since. Not
/// locked.
class RefCache {
 public:
  /// A reader without a cache replays at most about this many operations.
  static constexpr std::uint64_t kSnapshotEvery = 64;

  bool is_loaded() const { return is_loaded_; }

  /// Reads the operations that the file has, as of the connection's current state, beyond this
  /// cache. Afterwards log() is at least as new as that state. Code::unavailable if the file is not
  /// the one that this cache came from, for example a restored backup. An error leaves this cache
  /// unchanged.
  Result<void> catch_up(Connection& connection);

  const RefLog& log() const { return log_; }

  /// Writes the operation made by log().next(), and the snapshot if it is due, within the open
  /// transaction. log() changes only in committed() or the next catch_up(). The operation carries
  /// `names` and `objects` (arrivals.h). Returns its number, which is next_number().
  Result<std::uint64_t> write(Connection& connection, const RefLog::Next& next,
                              std::string_view names, std::string_view objects);
  std::uint64_t next_number() const { return log_.number() + 1; }

  /// Call after the transaction of write() was committed. Does nothing if a catch_up() has read the
  /// operation already.
  void committed(std::uint64_t number, const RefLog::Next& next);

  /// Writes the snapshot as of the newest operation, replacing any other.
  Result<void> write_whole_snapshot(Connection& connection);

 private:
  Result<void> try_catch_up(Connection& connection);
  Result<void> load_snapshot(Connection& connection);
  Result<bool> was_shortened(Connection& connection);
  Result<bool> replay(Connection& connection);
  void take_in(std::uint64_t number, const Oid& name, const Operation& operation);
  Result<bool> is_snapshot_due(Connection& connection);
  Result<void> write_snapshot(Connection& connection, const RefLog::Next& next);

  RefLog log_;
  bool is_loaded_ = false;
  // The operation of the table's snapshot when this cache last read it, or an earlier one, and the
  // refs that later operations name.
  std::uint64_t snapshot_ = 0;
  std::set<std::string, std::less<>> changed_;
  std::uint64_t written_snapshot_ = 0;  // By the last write() with a due snapshot.
};

/// Returns the operation of the snapshot in the table `refs`; 0 if it was never written.
Result<std::uint64_t> snapshot_number(Connection& connection);

/// Reads the table `refs`. Code::corrupt on a malformed row.
Result<RefMap> snapshot_refs(Connection& connection);

/// Reads the columns (number, name, body) of an operation's row. Code::corrupt if malformed.
Result<LoggedOperation> logged_operation(Connection& connection, const Statement& row);

/// The same, and verifies that its bytes hash to its name.
Result<LoggedOperation> verified_operation(Connection& connection, const Statement& row);

}  // namespace spoor::store::sqlite
