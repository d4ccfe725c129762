#include "store/sqlite/text_index.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "store/sqlite/side_file.h"
#include "store/sqlite/word_finder.h"

namespace spoor::store {
namespace {

constexpr const char* kWhat = "the search index";
constexpr const char* kHint = "the index is derived; delete it, or run 'spoor store rebuild'";
constexpr int kVersion = 4;  // 1 had no tool calls, 2 whole names of texts, 3 no lines.

// The page cache while the index is filled: commits and texts are at random positions in the file.
constexpr const char* kCache = "PRAGMA cache_size=-131072";  // KiB.

// Bytes of a text's name that are stored.
constexpr std::size_t kName = 16;

// FTS5 without a copy of the text (content='').
std::string tables() {
  return fmt::format(
      "PRAGMA user_version={};"
      "CREATE TABLE progress(mark TEXT NOT NULL);"
      "CREATE TABLE lines(id INTEGER PRIMARY KEY);"
      "CREATE TABLE joins(line INTEGER, depth INTEGER, to_line INTEGER, to_depth INTEGER);"
      "CREATE TABLE commits(oid BLOB PRIMARY KEY, text INTEGER, line INTEGER, depth INTEGER,"
      " time INTEGER) WITHOUT ROWID;"
      "CREATE INDEX commits_by_text ON commits(text) WHERE text IS NOT NULL;"
      "CREATE TABLE texts(name BLOB PRIMARY KEY, id INTEGER) WITHOUT ROWID;"
      "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='{}');",
      kVersion, kTokenizer);
}

constexpr const char* kDropTables =
    "DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS texts; DROP TABLE IF EXISTS contents;"
    "DROP TABLE IF EXISTS commits; DROP TABLE IF EXISTS progress;"
    "DROP TABLE IF EXISTS joins; DROP TABLE IF EXISTS lines;";

// After a power cut all pages must be of the same state. In a mix of two states the mark may be the
// newer one; missing texts would then never be noticed, since an older page does not look damaged.
// With a rollback journal this requires SQLite's full synchronisation.
constexpr auto kSync = sqlite::SideFile::Sync::full;

using Row = sqlite::SideFile::Row;

IndexPlace place_in(const Row& row, int column) {
  return {row.integer(column), static_cast<std::uint64_t>(row.integer(column + 1))};
}

void bind(Row& row, int parameter, const IndexPlace& place) {
  row.bind(parameter, place.line);
  row.bind(parameter + 1, static_cast<std::int64_t>(place.depth));
}

}  // namespace

std::string text_index_path(const std::string& store_path) { return store_path + "-search"; }

TextIndex::TextIndex(std::unique_ptr<sqlite::SideFile> file) : file_(std::move(file)) {}

TextIndex::~TextIndex() = default;

Result<std::unique_ptr<TextIndex>> TextIndex::open(const std::string& path, unsigned permissions) {
  const auto open_file = [&]() -> Result<std::unique_ptr<TextIndex>> {
    auto file = TRY(sqlite::SideFile::open(path, permissions, kSync, kWhat, kHint));
    TRY(file->execute(kCache));
    return std::unique_ptr<TextIndex>(new TextIndex(std::move(file)));
  };
  auto index = open_file();
  const auto ours = index ? index.value()->is_ours() : Result<bool>(index.error());
  if (ours && ours.value()) return index;
  if (!ours && ours.error().code != Error::Code::corrupt) return ours.error();
  if (!ours) {  // Not an SQLite file: nothing can be kept.
    if (::truncate(path.c_str(), 0) != 0) {
      return io_error(fmt::format("cannot empty '{}': {}", path, std::strerror(errno)),
                      "delete it; spoor creates it again");
    }
    index = open_file();
  }
  if (!index) return index;
  const auto made = index.value()->make_tables();
  if (!made && made.error().code == Error::Code::corrupt) {
    TRY(index.value()->empty());
  } else {
    TRY(made);
  }
  return index;
}

Result<std::unique_ptr<TextIndex>> TextIndex::in_memory() {
  auto file = TRY(sqlite::SideFile::in_memory(kWhat, kHint));
  TRY(file->execute(tables().c_str()));
  return std::unique_ptr<TextIndex>(new TextIndex(std::move(file)));
}

Result<void> TextIndex::update(const std::function<Result<void>()>& body) {
  return file_->update(body);
}

Result<std::string> TextIndex::mark() {
  Row row = TRY(file_->prepare("SELECT mark FROM progress"));
  return TRY(row.step()) ? std::string(row.bytes(0)) : std::string();
}

Result<void> TextIndex::set_mark(std::string_view mark) {
  TRY(file_->execute("DELETE FROM progress"));
  Row row = TRY(file_->prepare("INSERT INTO progress VALUES(?1)"));
  row.bind(1, mark);
  TRY(row.step());
  return {};
}

Result<std::optional<IndexPlace>> TextIndex::place_of(const Oid& commit) {
  Row row = TRY(file_->prepare("SELECT line, depth FROM commits WHERE oid = ?1"));
  row.bind(1, commit);
  if (!TRY(row.step())) return std::optional<IndexPlace>();
  return std::optional(place_in(row, 0));
}

Result<std::vector<IndexJoin>> TextIndex::joins() {
  Row row = TRY(file_->prepare(
      "SELECT line, depth, to_line, to_depth FROM joins ORDER BY line, depth, rowid"));
  std::vector<IndexJoin> all;
  while (TRY(row.step())) all.push_back({place_in(row, 0), place_in(row, 2)});
  return all;
}

Result<std::int64_t> TextIndex::add_line() {
  TRY(file_->execute("INSERT INTO lines DEFAULT VALUES"));
  return file_->last_row();
}

Result<void> TextIndex::add_join(const IndexJoin& join) {
  Row row = TRY(file_->prepare("INSERT INTO joins VALUES(?1, ?2, ?3, ?4)"));
  bind(row, 1, join.child);
  bind(row, 3, join.parent);
  TRY(row.step());
  return {};
}

Result<bool> TextIndex::add_commit(const Oid& commit, const IndexPlace& place, Timestamp time) {
  Row row = TRY(file_->prepare(
      "INSERT OR IGNORE INTO commits(oid, line, depth, time) VALUES(?1, ?2, ?3, ?4)"));
  row.bind(1, commit);
  bind(row, 2, place);
  row.bind(4, time.micros);
  TRY(row.step());
  return file_->changes() == 1;
}

Result<void> TextIndex::add_text(const Oid& commit, const Oid& name, std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return invalid("a text of 2 GiB cannot be indexed", "search without --query");
  }
  const std::int64_t id = TRY(text_id(name.view().substr(0, kName), text));
  Row link = TRY(file_->prepare("UPDATE commits SET text = ?2 WHERE oid = ?1"));
  link.bind(1, commit);
  link.bind(2, id);
  TRY(link.step());
  return {};
}

Result<std::int64_t> TextIndex::text_id(std::string_view name, std::string_view text) {
  Row known = TRY(file_->prepare("SELECT id FROM texts WHERE name = ?1"));
  known.bind_blob(1, name);
  if (TRY(known.step())) return known.integer(0);
  Row words = TRY(file_->prepare("INSERT INTO words(text) VALUES(?1)"));
  words.bind(1, text);
  TRY(words.step());
  const std::int64_t id = file_->last_row();
  Row row = TRY(file_->prepare("INSERT INTO texts(name, id) VALUES(?1, ?2)"));
  row.bind_blob(1, name);
  row.bind(2, id);
  TRY(row.step());
  return id;
}

Result<void> TextIndex::clear() {
  TRY(file_->execute(kDropTables));
  return file_->execute(tables().c_str());
}

Result<void> TextIndex::empty() {
  TRY(file_->empty());
  return make_tables();
}

Result<void> TextIndex::make_tables() {
  return update([this]() -> Result<void> {
    if (TRY(is_ours())) return {};  // Another process was first.
    return clear();
  });
}

Result<std::vector<IndexMatch>> TextIndex::match(const std::string& expression) {
  Row row = TRY(file_->prepare(
      "SELECT commits.oid, line, depth, time FROM words CROSS JOIN commits ON commits.text ="
      " words.rowid WHERE words MATCH ?1"));
  row.bind(1, std::string_view(expression));
  std::vector<IndexMatch> found;
  while (true) {
    const auto more = row.step();
    if (!more && !file_->is_statement_refused()) return more.error();
    if (!more) {  // The query's words, not damage.
      return invalid(fmt::format("the query cannot be read: {}", more.error().message),
                     "put words that contain punctuation into quotes");
    }
    if (!more.value()) return found;
    const auto oid = Oid::from_bytes(row.bytes(0));
    if (!oid) return corrupt("the search index is damaged", "run 'spoor store rebuild'");
    found.push_back({*oid, place_in(row, 1), Timestamp{row.integer(3)}});
  }
}

Result<void> TextIndex::forget(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return {};
  // Empties the whole file, not table by table: a damaged file may contain data that none of its
  // tables reaches.
  return TRY(open(path, 0600))->empty();
}

Result<bool> TextIndex::is_ours() {
  if (TRY(file_->number("PRAGMA user_version")) != kVersion) return false;
  return TRY(file_->number("SELECT count(*) FROM sqlite_schema WHERE name IN"
                           " ('progress','commits','joins','lines','texts','words')")) == 6;
}

}  // namespace spoor::store
