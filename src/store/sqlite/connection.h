#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/compression.h"
#include "store/sqlite/name_tail.h"

struct sqlite3;
struct sqlite3_stmt;

namespace spoor::store::sqlite {

/// The statements that are kept prepared; the SQL is in connection.cc.
enum class Query : std::uint8_t {
  begin_read,
  begin_write,
  commit,
  rollback,
  handle_of_name,
  add_name,
  drop_name,
  names_from,
  all_names,
  last_handle,
  object_at,
  object_near,
  object_kind_at,
  object_oid_at,
  add_object,
  drop_object,
  objects_from,
  last_place,
  next_place,
  commit_at,
  commit_oid_at,
  commits_down,
  commits_from,
  add_commit,
  drop_commit,
  move_commit,
  operations_from,
  operations_down,
  newest_number,
  operation_keys,
  carried_names,
  operation_at,
  add_operation,
  add_operation_with,
  arrived,
  drop_operations,
  folded,
  add_folded,
  all_refs,
  set_ref,
  drop_ref,
  local,
  set_local,
  drop_local,
  loose,
  derived,
  set_derived,
  drop_derived,
  all_local,
  commit_sizes,
  object_sizes,
  framed_commits,
  framed_objects,
  repack_commit,
  repack_object,
  format,
  has_table,
  dictionary,
  has_dictionary,
  dictionary_numbers,
  dictionary_row,
  add_dictionary,
  count
};

/// A prepared statement in use: bind, step, read. It is reset on destruction. Columns are numbered
/// from 0 and parameters from 1, as in SQLite. Bound and returned bytes are views.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind_blob(int parameter, std::string_view bytes);
  Statement& bind_text(int parameter, std::string_view text);

  enum class Step : std::uint8_t { row, done, failed };
  Step step();

  /// Resets the statement, ready to be bound and stepped from the start.
  void reset();

  std::int64_t integer(int column) const;
  bool is_integer(int column) const;
  bool is_blob(int column) const;
  bool is_text(int column) const;
  /// Returns a blob's or text's bytes, valid until the next step.
  std::string_view bytes(int column) const;

 private:
  sqlite3_stmt* statement_;
};

/// How long a commit waits for the disk (SQLite's `synchronous`).
enum class Sync : std::uint8_t { normal, full };

/// One connection to the file, used by one thread at a time.
class Connection {
 public:
  enum class Access : std::uint8_t { read_only, read_write, create };

  /// Opens the file with SQLite's safe settings for untrusted files, and reads no more than its
  /// header. `path` is absolute.
  static Result<std::unique_ptr<Connection>> open(const std::string& path, Access access);

  /// Closes without a checkpoint: that needs the writer lock.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Returns a kept statement, ready to be bound. At most one use of each at a time.
  Result<Statement> use(Query query);

  /// Runs SQL that is not worth keeping prepared.
  Result<void> execute(const std::string& sql);

  /// Steps to the end; for statements without result rows.
  Result<void> run(Statement& statement);
  /// Also begins and ends transactions.
  Result<void> run(Query query);

  /// Steps to the next row; false if there is none.
  Result<bool> next(Statement& statement);

  /// The same, but treats damage as the end: returns false also for a damaged row. A disk read
  /// failure is still an error, since the row is not lost.
  Result<bool> next_readable(Statement& statement);

  /// Rows changed by the last insert, update or delete.
  std::int64_t changes() const;

  Result<void> set_sync(Sync sync);

  /// Returns SQLite's last failure as an Error.
  Error error() const;

  /// Copies the log into the database, as far as readers allow; `truncate` also empties the log.
  /// Under the writer lock only.
  Result<void> checkpoint(bool truncate);

  /// Pages in the log after this connection's last commit.
  int log_pages() const { return log_pages_; }

  bool is_read_only() const;
  bool is_in_transaction() const;

  /// Within a write transaction: returns whether the file is unchanged since this connection's last
  /// commit.
  bool is_as_left() const { return is_as_left_; }

  /// Returns the number of the file's format, as of the transaction (schema.h).
  Result<std::int64_t> format();
  void forget_format() { format_.reset(); }

  /// The connection's knowledge of the index (names.h), as of the transaction once that has used
  /// it.
  NameTail& tail() { return tail_; }

  /// Decompresses a frame from one of this file's rows (Decompressor::decompress), as of the
  /// transaction. Reads dictionaries from the file when first needed.
  std::optional<std::string> decompress(std::string_view frame, std::size_t most);

  /// Returns why a decompress() since the last call failed, if the file could not be read rather
  /// than the row being damaged.
  std::optional<Error> take_decompress_error() {
    return std::exchange(decompress_error_, std::nullopt);
  }

  sqlite3* handle() const { return database_; }

 private:
  explicit Connection(std::string path) : path_(std::move(path)) {}
  Result<void> configure();
  Result<void> make_readable();
  unsigned data_version() const;

  std::string path_;
  sqlite3* database_ = nullptr;
  std::array<sqlite3_stmt*, static_cast<std::size_t>(Query::count)> kept_{};
  std::optional<Sync> sync_;  // Unset until the first write: SQLite's built-in default.
  int log_pages_ = 0;
  NameTail tail_;
  Decompressor decompressor_;
  std::optional<Error> decompress_error_;
  std::optional<std::int64_t> format_;  // As of the last transaction that called format().
  unsigned version_ = 0;      // SQLite's change counter after our last commit; 0: unknown.
  bool knows_names_ = false;  // tail_ was current in our last commit.
  bool is_as_left_ = false;
  bool is_writing_ = false;
};

/// A transaction that reads one state of the file; ends on destruction.
class ReadTransaction {
 public:
  static Result<ReadTransaction> begin(Connection& connection);
  ReadTransaction(ReadTransaction&& other) noexcept;
  ReadTransaction& operator=(ReadTransaction&&) = delete;
  ~ReadTransaction();

 private:
  explicit ReadTransaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace spoor::store::sqlite
