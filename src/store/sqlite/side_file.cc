#include "store/sqlite/side_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace spoor::store::sqlite {
namespace {

constexpr int kBusyMilliseconds = 10'000;

// Returns a non-null address: SQLite would take the null address of an empty view for NULL.
const char* address(std::string_view bytes) { return bytes.data() != nullptr ? bytes.data() : ""; }

}  // namespace

Result<std::unique_ptr<SideFile>> SideFile::open(const std::string& path, unsigned permissions,
                                                 Sync sync, const char* what, const char* hint) {
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, permissions);
  if (made < 0) {
    return io_error(fmt::format("{}: cannot open '{}': {}", what, path, std::strerror(errno)),
                    hint);
  }
  ::close(made);
  std::unique_ptr<SideFile> file(new SideFile(what, hint));
  const int code = sqlite3_open_v2(path.c_str(), &file->database_, SQLITE_OPEN_READWRITE, nullptr);
  if (code != SQLITE_OK) return file->error();
  sqlite3_busy_timeout(file->database_, kBusyMilliseconds);
  sqlite3_db_config(file->database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(file->database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  TRY(file->execute(sync == Sync::full ? "PRAGMA secure_delete=ON; PRAGMA synchronous=FULL;"
                                       : "PRAGMA secure_delete=ON; PRAGMA synchronous=NORMAL;"));
  return file;
}

Result<std::unique_ptr<SideFile>> SideFile::in_memory(const char* what, const char* hint) {
  std::unique_ptr<SideFile> file(new SideFile(what, hint));
  if (sqlite3_open(":memory:", &file->database_) != SQLITE_OK) return file->error();
  return file;
}

SideFile::~SideFile() {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

SideFile::Row::~Row() {
  if (statement_.empty()) return;
  sqlite3_reset(get());
  sqlite3_clear_bindings(get());
  const auto back = file_->idle_.insert(std::move(statement_));
  if (!back.inserted) sqlite3_finalize(back.node.mapped());  // Two were in use at the same time.
}

void SideFile::Row::bind(int parameter, const Oid& oid) { bind_blob(parameter, oid.view()); }

void SideFile::Row::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(get(), parameter, address(text), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void SideFile::Row::bind(int parameter, std::int64_t number) {
  sqlite3_bind_int64(get(), parameter, number);
}

void SideFile::Row::bind_blob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(get(), parameter, address(bytes), bytes.size(), SQLITE_TRANSIENT);
}

Result<bool> SideFile::Row::step() {
  const int code = sqlite3_step(get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return file_->error();
}

std::string_view SideFile::Row::bytes(int column) const {
  const void* data = sqlite3_column_blob(get(), column);
  const int size = sqlite3_column_bytes(get(), column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

std::int64_t SideFile::Row::integer(int column) const {
  return sqlite3_column_int64(get(), column);
}

Result<SideFile::Row> SideFile::prepare(const std::string& sql) const {
  if (auto idle = idle_.extract(sql); !idle.empty()) return Row(*this, std::move(idle));
  Statements made = {{sql, nullptr}};
  if (sqlite3_prepare_v3(database_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT,
                         &made.begin()->second, nullptr) != SQLITE_OK) {
    return error();
  }
  return Row(*this, made.extract(made.begin()));
}

Result<void> SideFile::execute(const char* sql) const {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error();
}

Result<std::int64_t> SideFile::number(const std::string& sql) const {
  Row row = TRY(prepare(sql));
  return TRY(row.step()) ? row.integer(0) : 0;
}

Result<void> SideFile::update(const std::function<Result<void>()>& body) const {
  TRY(execute("BEGIN IMMEDIATE"));
  auto done = body();
  if (done) done = execute("COMMIT");
  if (!done && sqlite3_get_autocommit(database_) == 0) {
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return done;
}

Result<void> SideFile::empty() {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  idle_.clear();
  sqlite3_db_config(database_, SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
  auto done = execute("VACUUM");
  sqlite3_db_config(database_, SQLITE_DBCONFIG_RESET_DATABASE, 0, nullptr);
  return done;
}

bool SideFile::is_statement_refused() const { return sqlite3_errcode(database_) == SQLITE_ERROR; }

std::int64_t SideFile::changes() const { return sqlite3_changes64(database_); }

std::int64_t SideFile::last_row() const { return sqlite3_last_insert_rowid(database_); }

Error SideFile::error() const {
  const std::string what = database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_);
  const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database_) & 0xff;
  const std::string message = fmt::format("{}: {}", what_, what);
  switch (code) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_CONSTRAINT:  // The tables contradict themselves.
    case SQLITE_ERROR:
      return corrupt(message, hint_);
    case SQLITE_BUSY:
      return unavailable(message, "another process is writing it; try again");
    default:
      return io_error(message, hint_);
  }
}

}  // namespace spoor::store::sqlite
