#include "store/sqlite/log_keeper.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "store/sqlite/at_rest.h"
#include "store/sqlite/files.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::int64_t kCopied = 1 << 16;  // Bytes per write.

Error failed_log(const std::string& path, int code) {
  return io_error(fmt::format("the disk failed at '{}-wal': {}", path, sqlite3_errstr(code)),
                  "nothing was acknowledged; check the disk, then run 'spoor store fsck'");
}

// Opens the log: a connection that has not read anything has no log open.
Result<void> open_log(Connection& connection) {
  if (log_file(connection.handle()) != nullptr) return {};
  Statement row = TRY(connection.use(Query::format));
  TRY(connection.next(row));
  return {};
}

Result<LogKeeper::Newest> newest_of(Connection& connection) {
  Statement row = TRY(connection.use(Query::operations_down));
  row.bind(1, std::numeric_limits<std::int64_t>::max());
  if (!TRY(connection.next(row))) return LogKeeper::Newest{};
  const auto name = Oid::from_bytes(row.bytes(1));
  if (!name) return corrupt("the newest operation is malformed", "run 'spoor store fsck'");
  return LogKeeper::Newest{static_cast<std::uint64_t>(row.integer(0)), *name};
}

}  // namespace

Result<void> LogKeeper::begin(Connection& connection, Sync sync) {
  TRY(open_log(connection));
  if (has_tail_left_) TRY(drop_tail(connection));
  const auto end = log_end(connection);
  is_trusted_ = end && end == trusted_ && mark_.is_as_written();
  if (!end || is_trusted_ || sync == Sync::normal) return {};

  const auto mark = read_mark(path_);
  const bool vouches = mark && *mark && (*mark)->is_synced && (*mark)->log.salts == end->salts;
  TRY(write_again(connection, vouches ? (*mark)->log.frames : 0, end->frames));
  trusted_ = *end;
  is_trusted_ = true;
  return {};
}

// Writes the same bytes again, so that the next sync covers them.
Result<void> LogKeeper::write_again(Connection& connection, std::uint32_t from, std::uint32_t to) {
  if (from >= to) return {};
  sqlite3_file* log = log_file(connection.handle());
  if (log == nullptr) return failed_log(path_, SQLITE_CANTOPEN);
  std::vector<char> bytes(kCopied);
  // Includes the log's header for the first frames.
  std::int64_t at = from == 0 ? 0 : offset_of_frame(from);
  for (const std::int64_t end = offset_of_frame(to); at < end; at += kCopied) {
    const int size = static_cast<int>(std::min(kCopied, end - at));
    int code = log->pMethods->xRead(log, bytes.data(), size, at);
    if (code == SQLITE_OK) code = log->pMethods->xWrite(log, bytes.data(), size, at);
    if (code != SQLITE_OK) return failed_log(path_, code);
  }
  return {};
}

void LogKeeper::committed(Connection& connection, Sync sync, const std::optional<Newest>& newest) {
  const auto end = log_end(connection);
  if (end && is_trusted_) trusted_ = *end;
  if (sync != commits_) return;
  (void)write_mark(connection, end.value_or(LogEnd{}), newest);
  if (commits_ == Sync::full) (void)note_log_needed(connection);
}

Result<void> LogKeeper::write_mark(Connection& connection, const LogEnd& end,
                                   const std::optional<Newest>& newest) {
  const Newest known = newest ? *newest : TRY(newest_of(connection));
  return mark_.write({known.number, known.name, end, commits_ == Sync::full});
}

void LogKeeper::failed(Connection& connection) {
  has_tail_left_ = true;
  (void)drop_tail(connection);  // If that fails, the next transaction tries again.
  doubt(connection);
}

void LogKeeper::doubt(Connection& connection) {
  trusted_.reset();
  (void)write_mark(connection, LogEnd{}, std::nullopt);
}

// Removes the frames after the last commit: a process that reads the log from the start would take
// a transaction that was written in full but not synced for committed.
Result<void> LogKeeper::drop_tail(Connection& connection) {
  sqlite3_file* log = log_file(connection.handle());
  const auto end = log_end(connection);
  if (log == nullptr || !end) return failed_log(path_, SQLITE_CANTOPEN);
  const std::int64_t size = offset_of_frame(end->frames);
  sqlite3_int64 found = 0;
  int code = log->pMethods->xFileSize(log, &found);
  if (code == SQLITE_OK && found > size) {
    code = log->pMethods->xTruncate(log, size);
    constexpr std::array<char, kFrameHeaderSize> kNoFrame{};
    if (code != SQLITE_OK) {
      code = log->pMethods->xWrite(log, kNoFrame.data(), static_cast<int>(kNoFrame.size()), size);
    }
  }
  if (code != SQLITE_OK) return failed_log(path_, code);
  has_tail_left_ = false;
  // So that it does not come back after a power failure. If it fails, nothing more can be done now.
  (void)log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  return {};
}

Result<void> LogKeeper::checkpoint(Connection& connection, bool truncate) {
  // Syncs first: after a power failure, a log with a gap, whose later pages are in the file, would
  // be a mixture.
  TRY(begin(connection, Sync::full));
  auto done = connection.checkpoint(truncate);
  if (!done) doubt(connection);  // The sync of the log may have failed.
  return done;
}

Result<void> LogKeeper::checkpoint(Connection& connection) {
  TRY(mark_.sync());
  return checkpoint(connection, false);
}

Result<void> LogKeeper::empty(Connection& connection) {
  TRY(checkpoint(connection, false));
  // The mark must not refer to removed frames.
  TRY(write_mark(connection, LogEnd{}, std::nullopt));
  TRY(mark_.sync());
  TRY(note_at_rest(connection));
  TRY(checkpoint(connection, true));
  const auto is_empty = is_log_empty(path_);
  const bool is_left = is_empty && !is_empty.value() && commits_ == Sync::full;
  return is_left ? vouch_again(connection) : Result<void>();
}

// Readers kept the log from being emptied. Without a mark that says how far it is synced, the next
// writer would write all of it again.
Result<void> LogKeeper::vouch_again(Connection& connection) {
  TRY(note_log_needed(connection));
  sqlite3_file* log = log_file(connection.handle());
  const auto end = log_end(connection);
  if (log == nullptr || !end) return {};
  const int code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  if (code != SQLITE_OK) {
    doubt(connection);
    return failed_log(path_, code);
  }
  return write_mark(connection, *end, std::nullopt);
}

}  // namespace spoor::store::sqlite
