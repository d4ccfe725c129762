#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "store/ref_log.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// The refs as this process last saw them. The operation log is the truth; the
/// table `refs` is a snapshot of it as of an earlier operation, written anew
/// every kSnapshotEvery operations, so that most commits need not touch it.
/// Whoever reads takes the snapshot and the operations since. Not locked.
class RefCache {
 public:
  /// A reader without a cache replays at most about this many operations.
  static constexpr std::uint64_t kSnapshotEvery = 64;

  bool is_loaded() const { return is_loaded_; }

  /// Takes in what the connection's current state of the file has beyond this
  /// cache. Afterwards log() is at least as new as that state. Code::unavailable when the
  /// file is not the one that this cache came from: a backup put back, for example. After an error
  /// this is as it was before: nothing is taken in by halves, and nothing that was seen is
  /// forgotten.
  Result<void> catch_up(Connection& connection);

  const RefLog& log() const { return log_; }

  /// Writes the operation that was judged by log().next(), and the snapshot when
  /// it is due, within the open transaction. log() does not move before
  /// committed() or the next catch_up(). The operation carries `names` and `objects`
  /// (arrivals.h). Returns its number, which is next_number().
  Result<std::uint64_t> write(Connection& connection, const RefLog::Next& next,
                              std::string_view names, std::string_view objects);
  std::uint64_t next_number() const { return log_.number() + 1; }

  /// The transaction of write() is in the file. Nothing happens when a
  /// catch_up() has seen it there already.
  void committed(std::uint64_t number, const RefLog::Next& next);

  /// Writes the snapshot as of the newest operation, whatever was there before.
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
  // The operation as of which the table spoke when this cache last looked, or an
  // earlier one, and the refs that operations since have named.
  std::uint64_t snapshot_ = 0;
  std::set<std::string, std::less<>> changed_;
  std::uint64_t written_snapshot_ = 0;  // By the last write() that found it due.
};

/// The operation as of which the table `refs` speaks; 0 when it was never written.
Result<std::uint64_t> snapshot_number(Connection& connection);

/// What the table `refs` holds. Code::corrupt on a malformed row.
Result<RefMap> snapshot_refs(Connection& connection);

/// Column (number, name, body) of a row of operations. Code::corrupt when malformed.
Result<LoggedOperation> logged_operation(Connection& connection, const Statement& row);

/// The same, and its bytes hash to its name.
Result<LoggedOperation> verified_operation(Connection& connection, const Statement& row);

}  // namespace spoor::store::sqlite
