#include "store/sqlite/schema.h"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "store/sqlite/log_end.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::uint32_t kApplicationId = 0x73706f72;  // "spor"

constexpr std::int64_t kNeverReleased = 2;

struct Table {
  std::string_view name;
  std::string_view sql;
  std::int64_t since = kFirstFormat;   // The first format with this text,
  std::int64_t until = kNewestFormat;  // and the last.

  bool is_in(std::int64_t format) const { return since <= format && format <= until; }
};

// In order of name. docs/format.md defines the columns; not one byte of this text may change within
// a format.
constexpr std::array kTables = {
    Table{"commits",
          "CREATE TABLE commits(place INTEGER PRIMARY KEY,oid BLOB NOT NULL,"
          "codec INTEGER NOT NULL,size INTEGER NOT NULL,body BLOB NOT NULL) STRICT"},
    Table{"derived",
          "CREATE TABLE derived(key BLOB PRIMARY KEY,value BLOB NOT NULL) STRICT, WITHOUT ROWID"},
    Table{"dictionaries",
          "CREATE TABLE dictionaries(number INTEGER PRIMARY KEY,serves TEXT NOT NULL,"
          "learned INTEGER NOT NULL,hash BLOB NOT NULL,body BLOB NOT NULL) STRICT",
          kPackedFormat},
    Table{"folded", "CREATE TABLE folded(number INTEGER PRIMARY KEY,names BLOB NOT NULL) STRICT",
          kArrivalsFormat},
    Table{"local",
          "CREATE TABLE local(key TEXT PRIMARY KEY,value TEXT NOT NULL) STRICT, WITHOUT ROWID"},
    Table{"names",
          "CREATE TABLE names(oid BLOB PRIMARY KEY,handle INTEGER NOT NULL) STRICT, WITHOUT ROWID"},
    Table{"objects",
          "CREATE TABLE objects(handle INTEGER PRIMARY KEY,oid BLOB NOT NULL,kind INTEGER NOT NULL,"
          "codec INTEGER NOT NULL,size INTEGER NOT NULL,body BLOB NOT NULL) STRICT"},
    Table{"operations",
          "CREATE TABLE operations(number INTEGER PRIMARY KEY,name BLOB NOT NULL,"
          "codec INTEGER NOT NULL,size INTEGER NOT NULL,body BLOB NOT NULL,"
          "names BLOB NOT NULL) STRICT",
          kFirstFormat, kPackedFormat},
    // As SQLite writes it after the column is added to the one above.
    Table{"operations",
          "CREATE TABLE operations(number INTEGER PRIMARY KEY,name BLOB NOT NULL,"
          "codec INTEGER NOT NULL,size INTEGER NOT NULL,body BLOB NOT NULL,"
          "names BLOB NOT NULL, objects BLOB NOT NULL DEFAULT x'') STRICT",
          kArrivalsFormat},
    Table{"refs",
          "CREATE TABLE refs(name TEXT PRIMARY KEY,target BLOB NOT NULL) STRICT, WITHOUT ROWID"},
};

using Header = std::array<char, kHeaderSize>;

std::uint64_t number_at(std::string_view header, std::size_t offset) {
  return big_endian(header.substr(offset, 4));
}

// Reads the header. False if the file is shorter; Code::io if it cannot be read.
Result<bool> read_header(sqlite3* database, const std::string& path, Header& header) {
  sqlite3_file* file = store_file(database);
  if (file == nullptr) return false;
  const int code = file->pMethods->xRead(file, header.data(), kHeaderSize, 0);
  if (code == SQLITE_OK) return true;
  if (code == SQLITE_IOERR_SHORT_READ) return false;
  int number = 0;
  file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
  return io_error(fmt::format("the disk failed at '{}': {}", path,
                              number != 0 ? std::strerror(number) : sqlite3_errstr(code)),
                  "check the disk, then run 'spoor store fsck'");
}

Result<void> verify_number(std::int64_t format, const std::string& path) {
  if (format > kNewestFormat) {
    return invalid(fmt::format("'{}' was made by a newer spoor (format {}, this one reads {})",
                               path, format, kNewestFormat),
                   "install the newer version");
  }
  if (format == kNeverReleased) {
    return invalid(
        fmt::format("'{}' was packed by a spoor that was never released", path),
        "write an archive with that version ('spoor store archive'), then import the archive");
  }
  if (format < kFirstFormat) return corrupt(fmt::format("'{}' has no known format", path));
  return {};
}

Result<void> verify_header(sqlite3* database, const std::string& path) {
  constexpr std::size_t kUserVersion = 60;

  Header header{};
  const std::string_view bytes(header.data(), header.size());
  if (!TRY(read_header(database, path, header)) || !is_store_header(bytes)) {
    return invalid(fmt::format("'{}' is not a spoor store", path),
                   "make one with 'spoor init', or name another file");
  }
  return verify_number(static_cast<std::int64_t>(number_at(bytes, kUserVersion)), path);
}

Result<void> verify_schema(Connection& connection, const std::string& path) {
  // The number in the file's header may be outdated if the newer one is in the log.
  const std::int64_t format = TRY(connection.format());
  TRY(verify_number(format, path));
  const auto differs = [&path](std::string_view what) {
    return corrupt(fmt::format("the schema of '{}' is not a store's: {}", path, what),
                   "another program changed the file, or it was made to do harm; do not use it");
  };
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(
      connection.handle(), "SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY name", -1,
      &prepared, nullptr);
  if (code != SQLITE_OK) return connection.error();
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owner(prepared,
                                                                         sqlite3_finalize);
  Statement rows(prepared);
  for (const Table& table : kTables) {
    if (!table.is_in(format)) continue;
    if (!TRY(connection.next(rows))) return differs(fmt::format("no table '{}'", table.name));
    if (rows.bytes(0) != "table" || rows.bytes(1) != table.name || rows.bytes(2) != table.name ||
        rows.bytes(3) != table.sql) {
      return differs(fmt::format("{} '{:.64}'", rows.bytes(0), rows.bytes(1)));
    }
  }
  if (TRY(connection.next(rows))) {
    return differs(fmt::format("{} '{:.64}'", rows.bytes(0), rows.bytes(1)));
  }
  return {};
}

// Adds the tables that a format has and the previous one had not.
Result<void> add_tables_of(Connection& connection, std::int64_t format) {
  for (const Table& table : kTables) {
    if (table.since == format && table.name != "operations") {
      TRY(connection.execute(std::string(table.sql)));
    }
  }
  TRY(connection.execute(fmt::format("PRAGMA user_version={}", format)));
  connection.forget_format();
  return {};
}

Result<void> allow_arrivals(Connection& connection) {
  if (TRY(connection.format()) >= kArrivalsFormat) return {};
  TRY(allow_dictionaries(connection));
  TRY(connection.execute("ALTER TABLE operations ADD COLUMN objects BLOB NOT NULL DEFAULT x''"));
  return add_tables_of(connection, kArrivalsFormat);
}

}  // namespace

bool is_store_header(std::string_view header) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kApplication = 68;
  return header.size() >= kHeaderSize && header.starts_with(kMagic) &&
         number_at(header, kApplication) == kApplicationId;
}

Result<void> write_empty_store(const std::string& path, std::int64_t format) {
  const auto connection = TRY(Connection::open(path, Connection::Access::create));
  std::string sql =
      fmt::format("PRAGMA page_size=4096; PRAGMA application_id={}; PRAGMA user_version={}; BEGIN;",
                  kApplicationId, format);
  for (const Table& table : kTables) {
    if (table.is_in(format)) sql.append(table.sql).append(1, ';');
  }
  // No other process uses this file, so it may be closed like any other: the log is copied back and
  // removed, and the file has the header that verify_format() reads.
  sql += "COMMIT; PRAGMA journal_mode=WAL;";
  TRY(connection->execute(sql));
  return connection->checkpoint(true);
}

Result<void> allow_dictionaries(Connection& connection) {
  if (TRY(connection.format()) >= kPackedFormat) return {};
  return add_tables_of(connection, kPackedFormat);
}

Result<void> allow_ropes(Connection& connection) {
  if (TRY(connection.format()) >= kRopesFormat) return {};
  TRY(allow_arrivals(connection));
  return add_tables_of(connection, kRopesFormat);
}

Result<bool> upgrade(Connection& connection, const std::string& path) {
  TRY(verify_schema(connection, path));
  if (TRY(connection.format()) >= kArrivalsFormat) return false;
  TRY(allow_arrivals(connection));
  TRY(verify_schema(connection, path));
  return true;
}

Result<void> verify_format(Connection& connection, const std::string& path) {
  TRY(verify_header(connection.handle(), path));
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  return verify_schema(connection, path);
}

}  // namespace spoor::store::sqlite
