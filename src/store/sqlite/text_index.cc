#include "store/sqlite/text_index.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace spoor::store {
namespace {

constexpr int kBusyMilliseconds = 10'000;
constexpr int kVersion = 1;

// FTS5 without a copy of the text (content=''): words are folded for case by Unicode,
// accents stay.
constexpr const char* kTables =
    "PRAGMA user_version=1;"
    "CREATE TABLE progress(mark TEXT NOT NULL);"
    "CREATE TABLE commits(oid BLOB PRIMARY KEY) WITHOUT ROWID;"
    "CREATE TABLE contents(id INTEGER PRIMARY KEY, oid BLOB NOT NULL UNIQUE);"
    "CREATE VIRTUAL TABLE words USING fts5(text, content='',"
    " tokenize='unicode61 remove_diacritics 0');";

constexpr const char* kDropTables =
    "DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS contents;"
    "DROP TABLE IF EXISTS commits; DROP TABLE IF EXISTS progress;";

}  // namespace

std::string text_index_path(const std::string& store_path) { return store_path + "-search"; }

// One statement, prepared, run and done with.
class TextIndex::Row {
 public:
  static Result<Row> prepare(const TextIndex& index, std::string_view sql) {
    Row row;
    if (sqlite3_prepare_v2(index.database_, sql.data(), static_cast<int>(sql.size()),
                           &row.statement_, nullptr) != SQLITE_OK) {
      return index.error();
    }
    row.index_ = &index;
    return row;
  }
  Row(Row&& other) noexcept
      : index_(other.index_), statement_(std::exchange(other.statement_, nullptr)) {}
  Row& operator=(Row&&) = delete;
  ~Row() { sqlite3_finalize(statement_); }

  void bind(int parameter, const Oid& oid) {
    const std::string_view bytes = oid.view();
    sqlite3_bind_blob(statement_, parameter, bytes.data(), static_cast<int>(bytes.size()),
                      SQLITE_TRANSIENT);
  }
  void bind(int parameter, std::string_view text) {
    sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  }
  void bind(int parameter, std::int64_t number) {
    sqlite3_bind_int64(statement_, parameter, number);
  }

  // Is there a (further) row?
  Result<bool> step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return index_->error();
  }

  std::string_view bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  Row() = default;
  const TextIndex* index_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

Result<std::unique_ptr<TextIndex>> TextIndex::open_raw(const std::string& path) {
  std::unique_ptr<TextIndex> index(new TextIndex);
  const int code = sqlite3_open_v2(path.c_str(), &index->database_, SQLITE_OPEN_READWRITE, nullptr);
  if (code != SQLITE_OK) return index->error();
  sqlite3_busy_timeout(index->database_, kBusyMilliseconds);
  sqlite3_db_config(index->database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(index->database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Losing the last of it in a power cut costs a rebuild, so nobody waits for the disk.
  TRY(index->execute("PRAGMA secure_delete=ON; PRAGMA synchronous=OFF;"));
  return index;
}

Result<std::unique_ptr<TextIndex>> TextIndex::open(const std::string& path, unsigned permissions) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, permissions);
  if (file < 0) {
    return io_error(fmt::format("cannot open '{}': {}", path, std::strerror(errno)),
                    "the index is derived; delete it if it is in the way");
  }
  ::close(file);
  auto index = open_raw(path);
  const auto ours = index ? index.value()->is_ours() : Result<bool>(index.error());
  if (ours && ours.value()) return index;
  if (!ours && ours.error().code != Error::Code::corrupt) return ours.error();
  if (!ours) {  // Not SQLite's at all: nothing in it can be kept.
    if (::truncate(path.c_str(), 0) != 0) {
      return io_error(fmt::format("cannot empty '{}': {}", path, std::strerror(errno)),
                      "delete it; it is made anew");
    }
    index = open_raw(path);
  }
  if (!index) return index;
  TextIndex& opened = *index.value();
  TRY(opened.update([&opened]() -> Result<void> {
    // Another process may have been first.
    if (TRY(opened.is_ours())) return {};
    return opened.clear();
  }));
  return index;
}

Result<std::unique_ptr<TextIndex>> TextIndex::in_memory() {
  std::unique_ptr<TextIndex> index(new TextIndex);
  if (sqlite3_open(":memory:", &index->database_) != SQLITE_OK) return index->error();
  TRY(index->make_tables());
  return index;
}

TextIndex::~TextIndex() { sqlite3_close(database_); }

Result<void> TextIndex::update(const std::function<Result<void>()>& body) {
  TRY(execute("BEGIN IMMEDIATE"));
  auto done = body();
  if (done) done = execute("COMMIT");
  if (!done && sqlite3_get_autocommit(database_) == 0) {
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return done;
}

Result<std::string> TextIndex::mark() {
  Row row = TRY(Row::prepare(*this, "SELECT mark FROM progress"));
  return TRY(row.step()) ? std::string(row.bytes(0)) : std::string();
}

Result<void> TextIndex::set_mark(std::string_view mark) {
  TRY(execute("DELETE FROM progress"));
  Row row = TRY(Row::prepare(*this, "INSERT INTO progress VALUES(?1)"));
  row.bind(1, mark);
  TRY(row.step());
  return {};
}

Result<bool> TextIndex::add_commit(const Oid& commit) {
  Row row = TRY(Row::prepare(*this, "INSERT OR IGNORE INTO commits VALUES(?1)"));
  row.bind(1, commit);
  TRY(row.step());
  return sqlite3_changes(database_) == 1;
}

Result<void> TextIndex::add_text(const Oid& content, std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return invalid("a text of 2 GiB cannot be indexed", "search it without --query");
  }
  Row row = TRY(Row::prepare(*this, "INSERT OR IGNORE INTO contents(oid) VALUES(?1)"));
  row.bind(1, content);
  TRY(row.step());
  if (sqlite3_changes(database_) == 0) return {};
  const std::int64_t id = sqlite3_last_insert_rowid(database_);
  Row words = TRY(Row::prepare(*this, "INSERT INTO words(rowid, text) VALUES(?1, ?2)"));
  words.bind(1, id);
  words.bind(2, text);
  TRY(words.step());
  return {};
}

Result<void> TextIndex::clear() {
  TRY(execute(kDropTables));
  return make_tables();
}

Result<std::vector<Oid>> TextIndex::match(const std::string& expression) {
  Row row = TRY(Row::prepare(*this,
                             "SELECT contents.oid FROM words JOIN contents ON contents.id ="
                             " words.rowid WHERE words MATCH ?1"));
  row.bind(1, std::string_view(expression));
  std::vector<Oid> found;
  while (true) {
    const auto more = row.step();
    if (!more) {
      return invalid(fmt::format("the query cannot be read: {}", more.error().message),
                     "put words that hold marks into quotes");
    }
    if (!more.value()) return found;
    const auto oid = Oid::from_bytes(row.bytes(0));
    if (!oid) return corrupt("the search index is damaged", "run 'spoor rebuild'");
    found.push_back(*oid);
  }
}

Result<void> TextIndex::forget(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return {};
  const auto index = TRY(open(path, 0600));
  return index->update([&index] { return index->clear(); });
}

Result<void> TextIndex::make_tables() { return execute(kTables); }

Result<bool> TextIndex::is_ours() {
  Row version = TRY(Row::prepare(*this, "PRAGMA user_version"));
  TRY(version.step());
  if (version.integer(0) != kVersion) return false;
  Row tables = TRY(Row::prepare(*this,
                                "SELECT count(*) FROM sqlite_schema WHERE name IN"
                                " ('progress','commits','contents','words')"));
  TRY(tables.step());
  return tables.integer(0) == 4;
}

Result<void> TextIndex::execute(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error();
}

Error TextIndex::error() const {
  const std::string what = database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_);
  const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database_);
  const std::string message = "the search index: " + what;
  const char* hint = "it is derived; delete it, or run 'spoor rebuild'";
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) return corrupt(message, hint);
  if (code == SQLITE_BUSY) {
    return Error{Error::Code::unavailable, message, "another process is searching; try again"};
  }
  return io_error(message, hint);
}

}  // namespace spoor::store
