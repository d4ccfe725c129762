#include "store/sqlite/connection.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/os/durable.h"
#include "store/sqlite/files.h"
#include "store/sqlite/fork.h"
#include "store/sqlite/log_end.h"

namespace spoor::store::sqlite {
namespace {

// The time to wait for a program that is not spoor; ours queue for the writer lock. Also covers the
// moment in which another process recovers the log.
constexpr int kBusyMilliseconds = 5'000;

// A log that grew large is truncated to this size when it restarts.
constexpr std::int64_t kLogBytesKept = 32 << 20;

const char* sql_of(Query query) {
  switch (query) {
    case Query::begin_read:
      return "BEGIN";
    case Query::begin_write:
      return "BEGIN IMMEDIATE";
    case Query::commit:
      return "COMMIT";
    case Query::rollback:
      return "ROLLBACK";
    case Query::handle_of_name:
      return "SELECT oid,handle FROM names WHERE oid BETWEEN ?1 AND ?2 ORDER BY oid DESC";
    case Query::add_name:
      return "INSERT INTO names(oid,handle) VALUES(?1,?2) ON CONFLICT DO NOTHING";
    case Query::drop_name:
      return "DELETE FROM names WHERE oid IN (?1,?2) AND handle=?3";
    case Query::names_from:
      return "SELECT oid,handle FROM names WHERE oid>=?1 ORDER BY oid";
    case Query::all_names:
      return "SELECT oid,handle FROM names ORDER BY oid";
    case Query::last_handle:
      return "SELECT handle FROM objects ORDER BY handle DESC LIMIT 1";
    case Query::object_at:
      return "SELECT oid,kind,codec,size,body FROM objects WHERE handle=?1";
    case Query::object_near:
      return "SELECT oid,kind,codec,size,body,handle FROM objects "
             "WHERE handle BETWEEN ?1 AND ?2 AND oid=?3 LIMIT 1";
    case Query::object_kind_at:
      return "SELECT kind FROM objects WHERE handle=?1";
    case Query::object_oid_at:
      return "SELECT oid FROM objects WHERE handle=?1";
    case Query::add_object:
      return "INSERT INTO objects(handle,oid,kind,codec,size,body) VALUES(?1,?2,?3,?4,?5,?6)";
    case Query::drop_object:
      return "DELETE FROM objects WHERE handle=?1";
    case Query::objects_from:
      return "SELECT handle FROM objects WHERE handle>?1 ORDER BY handle";
    case Query::last_place:
      return "SELECT place FROM commits ORDER BY place DESC LIMIT 1";
    case Query::next_place:
      return "SELECT place FROM commits WHERE place>?1 ORDER BY place LIMIT 1";
    case Query::commit_at:
      return "SELECT oid,codec,size,body FROM commits WHERE place=?1";
    case Query::commit_oid_at:
      return "SELECT oid FROM commits WHERE place=?1";
    case Query::commits_down:
      return "SELECT oid,codec,size,body FROM commits WHERE place BETWEEN ?1 AND ?2 "
             "ORDER BY place DESC";
    case Query::commits_from:
      return "SELECT place FROM commits WHERE place>?1 ORDER BY place";
    case Query::add_commit:
      return "INSERT INTO commits(place,oid,codec,size,body) VALUES(?1,?2,?3,?4,?5)";
    case Query::drop_commit:
      return "DELETE FROM commits WHERE place=?1";
    case Query::move_commit:
      return "UPDATE commits SET place=?2 WHERE place=?1";
    case Query::operations_from:
      return "SELECT number,name,codec,size,body FROM operations WHERE number>=?1 ORDER BY number";
    case Query::operations_down:
      return "SELECT number,name,codec,size,body FROM operations WHERE number<=?1 ORDER BY number "
             "DESC";
    case Query::newest_number:
      return "SELECT number FROM operations ORDER BY number DESC LIMIT 1";
    case Query::operation_keys:
      return "SELECT number FROM operations ORDER BY number";
    case Query::carried_names:
      return "SELECT number,name,names FROM operations WHERE number>=?1 ORDER BY number";
    case Query::operation_at:
      return "SELECT number,name,codec,size,body FROM operations WHERE number=?1";
    case Query::add_operation:
      return "INSERT INTO operations(number,name,codec,size,body,names) VALUES(?1,?2,?3,?4,?5,?6)";
    case Query::add_operation_with:
      return "INSERT INTO operations(number,name,codec,size,body,names,objects) "
             "VALUES(?1,?2,?3,?4,?5,?6,?7)";
    case Query::arrived:
      return "SELECT objects,names FROM operations WHERE number=?1";
    case Query::drop_operations:
      return "DELETE FROM operations WHERE number>=?1";
    case Query::folded:
      return "SELECT number,names FROM folded ORDER BY number";
    case Query::add_folded:
      return "INSERT INTO folded(number,names) VALUES(?1,?2)";
    case Query::all_refs:
      return "SELECT name,target FROM refs ORDER BY name";
    case Query::set_ref:
      return "INSERT INTO refs(name,target) VALUES(?1,?2) "
             "ON CONFLICT(name) DO UPDATE SET target=excluded.target";
    case Query::drop_ref:
      return "DELETE FROM refs WHERE name=?1";
    case Query::local:
      return "SELECT value FROM local WHERE key=?1";
    case Query::set_local:
      return "INSERT INTO local(key,value) VALUES(?1,?2) "
             "ON CONFLICT(key) DO UPDATE SET value=excluded.value";
    case Query::drop_local:
      return "DELETE FROM local WHERE key=?1";
    case Query::loose:
      return "SELECT key,value FROM local WHERE key>'put ' AND key<'put!'";
    case Query::derived:
      return "SELECT value FROM derived WHERE key=?1";
    case Query::set_derived:
      return "INSERT INTO derived(key,value) VALUES(?1,?2) "
             "ON CONFLICT(key) DO UPDATE SET value=excluded.value";
    case Query::drop_derived:
      return "DELETE FROM derived WHERE key=?1";
    case Query::all_local:
      return "SELECT key,value FROM local";
    case Query::commit_sizes:
      return "SELECT place,codec,size FROM commits";
    case Query::object_sizes:
      return "SELECT handle,codec,size FROM objects ORDER BY handle";
    case Query::framed_commits:
      return "SELECT place FROM commits WHERE codec>=2 AND place>?1 ORDER BY place";
    case Query::framed_objects:
      return "SELECT handle FROM objects WHERE codec>=2 AND handle>?1 ORDER BY handle";
    case Query::repack_commit:
      return "UPDATE commits SET codec=?4,body=?5 WHERE place=?1 AND oid=?2 AND codec=?3";
    case Query::repack_object:
      return "UPDATE objects SET codec=?4,body=?5 WHERE handle=?1 AND oid=?2 AND codec=?3";
    case Query::format:
      return "PRAGMA user_version";
    case Query::has_table:
      return "SELECT 1 FROM sqlite_schema WHERE type='table' AND name=?1";
    case Query::dictionary:
      return "SELECT body FROM dictionaries WHERE number=?1";
    case Query::has_dictionary:
      return "SELECT 1 FROM dictionaries WHERE length(body)>0 LIMIT 1";
    case Query::dictionary_numbers:
      return "SELECT number FROM dictionaries ORDER BY number";
    case Query::dictionary_row:
      return "SELECT number,serves,learned,hash,body FROM dictionaries WHERE number=?1";
    case Query::add_dictionary:
      return "INSERT INTO dictionaries(number,serves,learned,hash,body) VALUES(?1,?2,?3,?4,?5)";
    case Query::count:
      break;
  }
  throw std::logic_error("no such query");
}

// Returns the operating system's error, or else SQLite's message.
std::string reason(sqlite3* database) {
  const int number = sqlite3_system_errno(database);
  return number != 0 ? std::strerror(number) : sqlite3_errmsg(database);
}

Error disk_failure(const std::string& path, std::string_view why) {
  return io_error(fmt::format("the disk failed at '{}': {}", path, why),
                  "nothing was acknowledged; check the disk, then run 'spoor store fsck'");
}

// Returns the error of the last failed read of the file or its log; 0 if there was none. SQLite
// itself reports a file as malformed if the disk cannot read it.
int failed_read(sqlite3* database) {
  for (sqlite3_file* each : {store_file(database), log_file(database)}) {
    int number = 0;
    if (each == nullptr) continue;
    each->pMethods->xFileControl(each, SQLITE_FCNTL_LAST_ERRNO, &number);
    if (number == EIO || number == ENXIO) return number;
  }
  return 0;
}

// Returns whether the disk is full. SQLite keeps no reason for failures of the log's index.
bool is_out_of_room(sqlite3* database, int code) {
  if ((code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE) return true;
  return (code & 0xff) == SQLITE_IOERR && sqlite3_system_errno(database) == ENOSPC;
}

Error translate(sqlite3* database, int code, const std::string& path) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return unavailable(fmt::format("another program holds '{}'", path),
                         "close other programs that have the file open, then try again");
    case SQLITE_FULL:
      return no_room(path);
    case SQLITE_IOERR:
      if (is_out_of_room(database, code)) return no_room(path);
      if (is_at_size_limit(path)) return too_large(path);
      return disk_failure(path, reason(database));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return io_error(fmt::format("'{}' may not be written", path),
                      "look at the permissions of the file and of its folder");
    case SQLITE_CANTOPEN:
      return io_error(fmt::format("cannot open '{}': {}", path, reason(database)),
                      "look at the permissions of the file and of its folder");
    case SQLITE_CORRUPT:
      if (const int number = failed_read(database)) {
        return disk_failure(path, std::strerror(number));
      }
      return corrupt(fmt::format("'{}' is damaged: {}", path, sqlite3_errmsg(database)),
                     "run 'spoor store fsck' to see what is affected");
    case SQLITE_NOTADB:
      return invalid(fmt::format("'{}' is not a spoor store", path));
    case SQLITE_INTERRUPT:
      return interrupted("stopped");
    case SQLITE_TOOBIG:
      return invalid("an object is too large for the store");
    case SQLITE_CONSTRAINT:
      return corrupt(fmt::format("'{}' is inconsistent: {}", path, sqlite3_errmsg(database)),
                     "run 'spoor store fsck', then 'spoor store rebuild'");
    case SQLITE_NOMEM:
      return io_error("out of memory");
    default:
      return io_error(fmt::format("SQLite failed at '{}': {}", path, sqlite3_errmsg(database)));
  }
}

void check_bound(int code) {
  if (code != SQLITE_OK) throw std::logic_error("a value could not be bound");
}

// Returns a non-null address: SQLite would take the null address of an empty view for NULL.
const char* address(std::string_view bytes) { return bytes.data() != nullptr ? bytes.data() : ""; }

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check_bound(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  check_bound(
      sqlite3_bind_blob64(statement_, parameter, address(bytes), bytes.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
  check_bound(sqlite3_bind_text64(statement_, parameter, address(text), text.size(), SQLITE_STATIC,
                                  SQLITE_UTF8));
  return *this;
}

Statement::Step Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return Step::row;
  return code == SQLITE_DONE ? Step::done : Step::failed;
}

void Statement::reset() { sqlite3_reset(statement_); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

bool Statement::is_integer(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
}

bool Statement::is_blob(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_BLOB;
}

bool Statement::is_text(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_TEXT;
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  if (data == nullptr) return "";
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, Access access) {
  keep_usable_after_fork();
  std::unique_ptr<Connection> connection(new Connection(path));
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (access == Access::create) flags |= SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &connection->database_, flags, nullptr);
  if (code != SQLITE_OK) return translate(connection->database_, code, path);
  TRY(connection->configure());
  if (access == Access::read_only) TRY(connection->make_readable());
  return connection;
}

// Makes the file readable. Readers share an index of the log in a file that the first one makes. If
// it cannot be made and the log is empty, only the file is read.
Result<void> Connection::make_readable() {
  const int code = sqlite3_exec(database_, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  const bool is_refused = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY ||
                          is_out_of_room(database_, code);
  if (!is_refused || !TRY(is_log_empty(path_))) return {};
  sqlite3_close(std::exchange(database_, nullptr));
  constexpr int kFlags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  const std::string unchanged = file_uri(path_, "immutable=1");  // Its log is ignored.
  const int opened = sqlite3_open_v2(unchanged.c_str(), &database_, kFlags, nullptr);
  if (opened != SQLITE_OK) return translate(database_, opened, path_);
  return configure();
}

Result<void> Connection::configure() {
  // The file is untrusted until its schema is compared with ours, and mostly afterwards.
  for (const auto& [option, value] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1}, std::pair{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        std::pair{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, std::pair{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        std::pair{SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1}}) {
    if (sqlite3_db_config(database_, option, value, nullptr) != SQLITE_OK) return error();
  }
  sqlite3_busy_timeout(database_, kBusyMilliseconds);
  // Replaces SQLite's own hook and so its automatic checkpoint, which would not follow our rules.
  sqlite3_wal_hook(
      database_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Connection*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  return execute("PRAGMA cell_size_check=ON");
}

Connection::~Connection() {
  for (sqlite3_stmt* each : kept_) sqlite3_finalize(each);
  sqlite3_close(database_);
}

Result<Statement> Connection::use(Query query) {
  sqlite3_stmt*& kept = kept_[static_cast<std::size_t>(query)];
  if (kept == nullptr) {
    const int code =
        sqlite3_prepare_v3(database_, sql_of(query), -1, SQLITE_PREPARE_PERSISTENT, &kept, nullptr);
    if (code != SQLITE_OK) return error();
  }
  return Statement(kept);
}

Result<void> Connection::execute(const std::string& sql) {
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<void> Connection::run(Statement& statement) {
  while (true) {
    const Statement::Step step = statement.step();
    if (step == Statement::Step::failed) return error();
    if (step == Statement::Step::done) break;
  }
  statement.reset();
  return {};
}

Result<void> Connection::run(Query query) {
  const bool was_writing = is_writing_;
  const bool knew_names = tail_.is_current;
  tail_.is_current = is_as_left_ = is_writing_ = false;
  if (query == Query::rollback) tail_.forget();
  Statement statement = TRY(use(query));
  TRY(run(statement));
  if (query == Query::begin_write) {
    is_writing_ = true;
    is_as_left_ = version_ != 0 && version_ == data_version();
    tail_.is_current = is_as_left_ && knows_names_ && tail_.indexed >= 0;
  }
  if (!is_as_left_ && query != Query::commit) format_.reset();
  if (was_writing) {
    version_ = query == Query::commit ? data_version() : 0;
    knows_names_ = knew_names;
  }
  return {};
}

Result<std::int64_t> Connection::format() {
  if (format_) return *format_;
  Statement row = TRY(use(Query::format));
  if (!TRY(next(row))) return error();
  format_ = row.integer(0);
  return *format_;
}

unsigned Connection::data_version() const {
  unsigned version = 0;
  sqlite3_file_control(database_, "main", SQLITE_FCNTL_DATA_VERSION, &version);
  return version;
}

Result<bool> Connection::next(Statement& statement) {
  const Statement::Step step = statement.step();
  if (step == Statement::Step::failed) return error();
  return step == Statement::Step::row;
}

Result<bool> Connection::next_readable(Statement& statement) {
  auto more = next(statement);
  if (!more && more.error().code == Error::Code::corrupt) return false;
  return more;
}

std::int64_t Connection::changes() const { return sqlite3_changes64(database_); }

Result<void> Connection::set_sync(Sync sync) {
  if (sync == sync_) return {};
  if (!sync_) {  // The first write. A copy made by SQLite may have another journal mode.
    TRY(execute(
        fmt::format("PRAGMA journal_mode=WAL; PRAGMA journal_size_limit={}", kLogBytesKept)));
    // Pages of a large transaction stay in memory until it commits, instead of being written to the
    // log twice; bulk writers limit them by the size of a transaction.
    TRY(execute("PRAGMA cache_spill=OFF"));
    if (os::kFsyncIsWeak) TRY(execute("PRAGMA fullfsync=ON"));
  }
  TRY(execute(sync == Sync::full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL"));
  sync_ = sync;
  return {};
}

Error Connection::error() const {
  return translate(database_, sqlite3_extended_errcode(database_), path_);
}

Result<void> Connection::checkpoint(bool truncate) {
  // Never waits for readers: a later checkpoint copies the pages that they still need.
  sqlite3_busy_timeout(database_, 0);
  const int mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  const int code = sqlite3_wal_checkpoint_v2(database_, "main", mode, nullptr, nullptr);
  Result<void> result =
      code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY ? Result<void>() : Result<void>(error());
  sqlite3_busy_timeout(database_, kBusyMilliseconds);
  return result;
}

std::optional<std::string> Connection::decompress(std::string_view frame, std::size_t most) {
  return decompressor_.decompress(
      frame, most, [this](DictionaryNumber number) -> std::optional<std::string> {
        auto row = use(Query::dictionary);  // A file without compressed rows has no such table.
        if (!row) return std::nullopt;
        const auto found = next(row->bind(1, number));
        if (!found && found.error().code != Error::Code::corrupt) decompress_error_ = found.error();
        if (!found || !found.value()) return std::nullopt;
        return unpack_dictionary(number, row->bytes(0));
      });
}

bool Connection::is_in_transaction() const { return sqlite3_get_autocommit(database_) == 0; }

bool Connection::is_read_only() const { return sqlite3_db_readonly(database_, "main") != 0; }

Result<ReadTransaction> ReadTransaction::begin(Connection& connection) {
  TRY(connection.run(Query::begin_read));
  return ReadTransaction(connection);
}

ReadTransaction::ReadTransaction(ReadTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

ReadTransaction::~ReadTransaction() {
  if (connection_ == nullptr || sqlite3_get_autocommit(connection_->handle()) != 0) return;
  // Nothing was written, so a failure loses nothing.
  (void)connection_->run(Query::commit);
}

}  // namespace spoor::store::sqlite
