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

// An empty view may have no address, which SQLite would take for NULL.
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
  TRY(file->execute(sync == Sync::off ? "PRAGMA secure_delete=ON; PRAGMA synchronous=OFF;"
                                      : "PRAGMA secure_delete=ON; PRAGMA synchronous=NORMAL;"));
  return file;
}

Result<std::unique_ptr<SideFile>> SideFile::in_memory(const char* what, const char* hint) {
  std::unique_ptr<SideFile> file(new SideFile(what, hint));
  if (sqlite3_open(":memory:", &file->database_) != SQLITE_OK) return file->error();
  return file;
}

SideFile::~SideFile() { sqlite3_close(database_); }

SideFile::Row::Row(Row&& other) noexcept
    : file_(other.file_), statement_(std::exchange(other.statement_, nullptr)) {}

SideFile::Row::~Row() { sqlite3_finalize(statement_); }

void SideFile::Row::bind(int parameter, const Oid& oid) { bind_blob(parameter, oid.view()); }

void SideFile::Row::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_, parameter, address(text), text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
}

void SideFile::Row::bind(int parameter, std::int64_t number) {
  sqlite3_bind_int64(statement_, parameter, number);
}

void SideFile::Row::bind_blob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(statement_, parameter, address(bytes), bytes.size(), SQLITE_TRANSIENT);
}

Result<bool> SideFile::Row::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return file_->error();
}

std::string_view SideFile::Row::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

std::int64_t SideFile::Row::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

Result<SideFile::Row> SideFile::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement,
                         nullptr) != SQLITE_OK) {
    return error();
  }
  return Row(*this, statement);
}

Result<void> SideFile::execute(const char* sql) const {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error();
}

Result<std::int64_t> SideFile::number(std::string_view sql) const {
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

std::int64_t SideFile::changes() const { return sqlite3_changes64(database_); }

std::int64_t SideFile::last_row() const { return sqlite3_last_insert_rowid(database_); }

Error SideFile::error() const {
  const std::string what = database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_);
  const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database_);
  const std::string message = fmt::format("{}: {}", what_, what);
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) return corrupt(message, hint_);
  if (code == SQLITE_BUSY) {
    return Error{Error::Code::unavailable, message, "another process is writing it; try again"};
  }
  return io_error(message, hint_);
}

}  // namespace spoor::store::sqlite
