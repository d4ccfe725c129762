#include "bench/raw_store.h"

#include <sqlite3.h>

#include "bench/workload.h"

namespace spoor::bench {

RawStore::RawStore(const std::string& path) {
  must(sqlite3_open(path.c_str(), &database_) == SQLITE_OK, "raw store: open");
  const char* setup =
      "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
      "CREATE TABLE raw(hash BLOB PRIMARY KEY, body BLOB)";
  must(sqlite3_exec(database_, setup, nullptr, nullptr, nullptr) == SQLITE_OK, "raw store: setup");
  must(sqlite3_prepare_v2(database_, "INSERT INTO raw VALUES(?,?)", -1, &insert_, nullptr) ==
           SQLITE_OK,
       "raw store: prepare");
}

RawStore::~RawStore() {
  sqlite3_finalize(insert_);
  sqlite3_close(database_);
}

void RawStore::insert(std::string_view hash, std::string_view blob) {
  sqlite3_bind_blob(insert_, 1, hash.data(), static_cast<int>(hash.size()), SQLITE_STATIC);
  sqlite3_bind_blob(insert_, 2, blob.data(), static_cast<int>(blob.size()), SQLITE_STATIC);
  must(sqlite3_step(insert_) == SQLITE_DONE, "raw store: insert");
  sqlite3_reset(insert_);
}

void RawStore::insert_all(std::span<const Pair> pairs) {
  const auto run = [this](const char* sql) {
    must(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, "raw store: run");
  };
  run("BEGIN IMMEDIATE");
  for (const Pair& pair : pairs) insert(pair.hash, pair.blob);
  run("COMMIT");
}

std::size_t RawStore::count_with(std::string_view needle) {
  sqlite3_stmt* statement = nullptr;
  must(sqlite3_prepare_v2(database_, "SELECT body FROM raw ORDER BY rowid", -1, &statement,
                          nullptr) == SQLITE_OK,
       "raw store: prepare");
  std::size_t count = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const std::string_view body(static_cast<const char*>(sqlite3_column_blob(statement, 0)),
                                static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    if (body.find(needle) != std::string_view::npos) ++count;
  }
  sqlite3_finalize(statement);
  return count;
}

}  // namespace spoor::bench
