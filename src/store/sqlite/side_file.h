#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "store/oid.h"

struct sqlite3;
struct sqlite3_stmt;

namespace spoor::store::sqlite {

/// A connection to an SQLite file next to a store that contains nothing the store needs: an index,
/// a cache. Opens it with SQLite's settings for untrusted files; freed pages are overwritten. The
/// caller decides what the file contains and what to do with a damaged or foreign one. For one
/// thread at a time; any number of processes may have the file open.
class SideFile {
  using Statements = std::unordered_map<std::string, sqlite3_stmt*>;

 public:
  /// How long a commit waits for the disk (SQLite's `synchronous`).
  enum class Sync { normal, full };

  /// Opens the file, or creates an empty one with these permissions; does not follow links. `what`
  /// begins error messages, `hint` is the hint. Code::io.
  static Result<std::unique_ptr<SideFile>> open(const std::string& path, unsigned permissions,
                                                Sync sync, const char* what, const char* hint);

  /// Makes one in memory.
  static Result<std::unique_ptr<SideFile>> in_memory(const char* what, const char* hint);

  ~SideFile();
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;

  /// One statement to bind and step. Destroy it before the file. Columns are numbered from 0,
  /// parameters from 1.
  class Row {
   public:
    Row(Row&& other) noexcept = default;
    Row& operator=(Row&&) = delete;
    ~Row();

    void bind(int parameter, const Oid& oid);
    void bind(int parameter, std::string_view text);
    void bind(int parameter, std::int64_t number);
    void bind_blob(int parameter, std::string_view bytes);

    /// Steps to the next row; false if there is none.
    Result<bool> step();

    /// Returns a text's or blob's bytes, valid until the next step.
    std::string_view bytes(int column) const;
    std::int64_t integer(int column) const;

   private:
    friend class SideFile;
    Row(const SideFile& file, Statements::node_type statement)
        : file_(&file), statement_(std::move(statement)) {}
    sqlite3_stmt* get() const { return statement_.mapped(); }

    const SideFile* file_;
    Statements::node_type statement_;  // Empty if moved from.
  };

  /// Prepares a statement whose SQL does not change; it is cached.
  Result<Row> prepare(const std::string& sql) const;

  /// Runs statements without parameters and ignores their rows.
  Result<void> execute(const char* sql) const;

  /// Runs a statement and returns its only number.
  Result<std::int64_t> number(const std::string& sql) const;

  /// Runs `body` while no other process writes the file, as one transaction.
  Result<void> update(const std::function<Result<void>()>& body) const;

  /// Makes it an empty SQLite file, even if it is damaged; not within update().
  Result<void> empty();

  /// Returns whether SQLite rejected the SQL of the last statement. If the SQL is our own, as it
  /// mostly is, that is damage too: the file's tables are not as created.
  bool is_statement_refused() const;

  /// Rows changed by the last statement, and the id of the row it added.
  std::int64_t changes() const;
  std::int64_t last_row() const;

 private:
  SideFile(const char* what, const char* hint) : what_(what), hint_(hint) {}
  Error error() const;

  const char* what_;
  const char* hint_;
  sqlite3* database_ = nullptr;
  mutable Statements idle_;
};

}  // namespace spoor::store::sqlite
