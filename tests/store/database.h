#pragma once

#include <sqlite3.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace spoor::store {

/// A store's file in the hands of another program: for tests that look into it,
/// or do to it what nobody should. The store's mark goes, which would tell.
class Database {
 public:
  explicit Database(const std::string& path) : mark_(path + "-mark") {
    if (sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        nullptr) != SQLITE_OK) {
      throw std::runtime_error("cannot open " + path);
    }
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
      throw std::runtime_error(sql + ": " + message);
    }
    unlink(mark_.c_str());
  }

  /// All values of all rows, as text.
  std::vector<std::string> ask(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
    }
    std::vector<std::string> values;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = static_cast<const char*>(sqlite3_column_blob(statement, i));
        values.emplace_back(text == nullptr ? "" : text,
                            static_cast<std::size_t>(sqlite3_column_bytes(statement, i)));
      }
    }
    sqlite3_finalize(statement);
    return values;
  }

 private:
  std::string mark_;
  sqlite3* handle_ = nullptr;
};

}  // namespace spoor::store
