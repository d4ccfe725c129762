#include "store/sqlite/foreign_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "base/os/file_times.h"
#include "base/read_limits.h"
#include "store/sqlite/files.h"

namespace spoor::store::sqlite {
namespace {

constexpr int kForeignWait = 5'000;     // Milliseconds.
constexpr int kStepsToCancel = 10'000;  // SQLite's, between two looks at `cancel`.
constexpr int kForeignAttempts = 5;

std::int64_t written_at(const struct stat& found) {
  const timespec time = os::written_at(found);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

int is_cancelled(void* cancel) {
  return static_cast<const std::atomic<bool>*>(cancel)->load() ? 1 : 0;
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  FileStamp stamp;
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    stamp.inode = found.st_ino;
    stamp.size = static_cast<std::uint64_t>(found.st_size);
    stamp.written = written_at(found);
  }
  if (::stat((path + std::string(kLogSuffix)).c_str(), &found) == 0) {
    stamp.log_size = static_cast<std::uint64_t>(found.st_size);
    stamp.log_written = written_at(found);
  }
  // An index without a log was left by a copy.
  if (stamp.log_written == 0) return stamp;
  const Descriptor index(::open((path + "-shm").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  stamp.has_index = static_cast<bool>(index);
  if (index) (void)!::pread(index.number(), stamp.index.data(), stamp.index.size(), 0);
  return stamp;
}

Result<std::unique_ptr<ForeignFile>> ForeignFile::open(const std::string& path,
                                                       const std::atomic<bool>* cancel) {
  // SQLite follows links, and looks for the log next to the file itself.
  std::error_code failed;
  const std::filesystem::path found = std::filesystem::canonical(path, failed);
  if (failed) return io_error(fmt::format("cannot open '{}': {}", path, failed.message()));
  std::unique_ptr<ForeignFile> file(new ForeignFile(found.string(), cancel));
  TRY(file->connect());
  return file;
}

ForeignFile::~ForeignFile() { close(); }

void ForeignFile::close() { sqlite3_close(std::exchange(database_, nullptr)); }

// Returns whether the file has a write-ahead log, by the versions in its header: 1, or 2 with one.
Result<bool> ForeignFile::has_log_format() const {
  constexpr off_t kVersions = 18;
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::array<char, 2> versions{};
  if (!file || ::pread(file.number(), versions.data(), versions.size(), kVersions) < 0) {
    return io_error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
  }
  return versions[0] == 2 || versions[1] == 2;
}

// A reader of a file with a log takes part in the log's index, `-shm`, which SQLite makes, fills
// and leaves if it is not there. So how the file is opened depends on what is next to it:
//
// - an index: it is read as it is, with its locks, as a program that writes respects them;
// - a log without an index: no program has the file open. An index is made in memory;
// - neither: the file is complete and no program writes it.
//
// In the last two cases a program may begin to write: read() looks for that afterwards.
Result<void> ForeignFile::connect() {
  opened_ = stamp_of(path_);
  const bool has_log_format = TRY(this->has_log_format());
  const bool is_complete = has_log_format && !opened_.has_index && opened_.log_size == 0;
  const bool needs_index = has_log_format && !opened_.has_index && opened_.log_size > 0;
  is_locked_ = !is_complete && !needs_index;
  std::string query = "mode=ro";
  if (is_complete) query += "&immutable=1";
  if (needs_index) query += "&vfs=unix-none";
  if (has_log_format && opened_.has_index) query += "&readonly_shm=1";
  auto opened = open_as(query);
  if (opened && needs_index) opened = execute("PRAGMA locking_mode=EXCLUSIVE");
  if (!opened) close();
  return opened;
}

Result<void> ForeignFile::open_as(const std::string& query) {
  constexpr int kFlags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  const std::string uri = file_uri(path_, query);
  if (sqlite3_open_v2(uri.c_str(), &database_, kFlags, nullptr) != SQLITE_OK) return error();
  for (const auto& [option, value] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1}, std::pair{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        std::pair{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, std::pair{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        std::pair{SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1}}) {
    if (sqlite3_db_config(database_, option, value, nullptr) != SQLITE_OK) return error();
  }
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, static_cast<int>(kMostLineBytes));
  sqlite3_busy_timeout(database_, kForeignWait);
  if (cancel_ != nullptr) {
    sqlite3_progress_handler(database_, kStepsToCancel, is_cancelled,
                             const_cast<std::atomic<bool>*>(cancel_));
  }
  // A file that is cut while it is mapped would end this process.
  TRY(execute("PRAGMA mmap_size=0"));
  return execute("PRAGMA cell_size_check=ON");
}

Result<void> ForeignFile::read(const std::function<Result<void>()>& body) {
  for (int i = 0; i < kForeignAttempts; ++i) {
    if (database_ == nullptr) TRY(connect());
    auto done = execute("BEGIN");
    if (done) done = body();
    if (sqlite3_get_autocommit(database_) == 0) TRY(execute("ROLLBACK"));
    if (is_locked_ || stamp_of(path_) == opened_) return done;
    close();
  }
  return denied(fmt::format("'{}' changes while it is read", path_),
                "close the program that writes it, then try again");
}

Result<void> ForeignFile::execute(const char* sql) const {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error();
}

Result<ForeignFile::Rows> ForeignFile::select(const char* sql,
                                              std::initializer_list<std::string_view> texts) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) != SQLITE_OK) return error();
  Rows rows(*this, statement);
  int parameter = 0;
  for (const std::string_view text : texts) {
    const char* bytes = text.data() != nullptr ? text.data() : "";
    if (sqlite3_bind_text64(statement, ++parameter, bytes, text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8) != SQLITE_OK) {
      return error();
    }
  }
  return rows;
}

Result<std::vector<std::string>> ForeignFile::columns_of(std::string_view table) const {
  std::vector<std::string> columns;
  Rows tables = TRY(
      select("SELECT 1 FROM sqlite_schema WHERE type='table' AND name=? AND rootpage>0", {table}));
  if (!TRY(tables.next())) return columns;
  Rows rows = TRY(select("SELECT name FROM pragma_table_info(?)", {table}));
  while (TRY(rows.next())) columns.emplace_back(rows.text(0).value_or(""));
  return columns;
}

Error ForeignFile::error() const {
  if (database_ == nullptr) return io_error("out of memory");
  const std::string reason = sqlite3_errmsg(database_);
  switch (sqlite3_errcode(database_) & 0xff) {
    case SQLITE_INTERRUPT:
      return interrupted(fmt::format("reading '{}' was stopped", path_));
    case SQLITE_NOMEM:
      return io_error("out of memory");
    case SQLITE_TOOBIG:
      return invalid(fmt::format("a value of more than {} MiB", kMostLineBytes >> 20U));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return denied(fmt::format("another program holds '{}'", path_),
                    "close the program that writes it, then try again");
    case SQLITE_CANTOPEN:
      return denied(fmt::format("cannot open '{}': {}", path_, reason),
                    "look at the permissions of the file and of those next to it");
    case SQLITE_READONLY:
      return denied(fmt::format("'{}' was left within a change: {}", path_, reason),
                    "open it with the program that wrote it, which mends it");
    default:
      return denied(fmt::format("cannot read '{}': {}", path_, reason),
                    "check it with sqlite3: PRAGMA integrity_check");
  }
}

ForeignFile::Rows::Rows(Rows&& other) noexcept
    : file_(other.file_), statement_(std::exchange(other.statement_, nullptr)) {}

ForeignFile::Rows::~Rows() { sqlite3_finalize(statement_); }

Result<bool> ForeignFile::Rows::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return file_->error();
}

int ForeignFile::Rows::columns() const { return sqlite3_column_count(statement_); }

std::string_view ForeignFile::Rows::name(int column) const {
  const char* name = sqlite3_column_name(statement_, column);
  return name == nullptr ? "" : name;
}

bool ForeignFile::Rows::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::optional<std::int64_t> ForeignFile::Rows::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::optional<double> ForeignFile::Rows::real(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_FLOAT) return std::nullopt;
  return sqlite3_column_double(statement_, column);
}

std::optional<std::string_view> ForeignFile::Rows::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return std::nullopt;
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data == nullptr ? std::string_view("")
                         : std::string_view(static_cast<const char*>(data), size);
}

}  // namespace spoor::store::sqlite
