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

/// A connection to an SQLite file beside a store that holds nothing the store needs: an index, a
/// cache. It is opened with the guards for a file that nobody vouches for, and pages that come free
/// are overwritten. What is in it, and what becomes of one that is damaged or foreign, is the
/// business of whoever opens it. For one thread at a time; any number of processes may have the
/// file open.
class SideFile {
  using Statements = std::unordered_map<std::string, sqlite3_stmt*>;

 public:
  /// How much a commit waits for the disk (SQLite's `synchronous`).
  enum class Sync { normal, full };

  /// Opens the file, or makes an empty one with these permissions; links are not followed. `what`
  /// begins the messages of errors, `hint` says what helps. Code::io.
  static Result<std::unique_ptr<SideFile>> open(const std::string& path, unsigned permissions,
                                                Sync sync, const char* what, const char* hint);

  /// One that forgets.
  static Result<std::unique_ptr<SideFile>> in_memory(const char* what, const char* hint);

  ~SideFile();
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;

  /// One statement: bound, stepped and done with when this goes, which is before the file does.
  /// Columns are counted from 0, parameters from 1.
  class Row {
   public:
    Row(Row&& other) noexcept = default;
    Row& operator=(Row&&) = delete;
    ~Row();

    void bind(int parameter, const Oid& oid);
    void bind(int parameter, std::string_view text);
    void bind(int parameter, std::int64_t number);
    void bind_blob(int parameter, std::string_view bytes);

    /// Is there a (further) row?
    Result<bool> step();

    /// A text's or blob's bytes; they live until the next step.
    std::string_view bytes(int column) const;
    std::int64_t integer(int column) const;

   private:
    friend class SideFile;
    Row(const SideFile& file, Statements::node_type statement)
        : file_(&file), statement_(std::move(statement)) {}
    sqlite3_stmt* get() const { return statement_.mapped(); }

    const SideFile* file_;
    Statements::node_type statement_;  // Empty when moved from.
  };

  /// A statement in words that do not change: it is kept for the next time.
  Result<Row> prepare(const std::string& sql) const;

  /// Statements without parameters whose rows nobody wants.
  Result<void> execute(const char* sql) const;

  /// The one number that a statement answers with.
  Result<std::int64_t> number(const std::string& sql) const;

  /// Runs `body` while no other process writes the file: all of it is kept, or nothing.
  Result<void> update(const std::function<Result<void>()>& body) const;

  /// Makes it an SQLite file with nothing in it, however damaged it is; not within update().
  Result<void> empty();

  /// Did SQLite refuse the last statement for its words? Where those are ours alone, as they mostly
  /// are, that is damage too: the file's tables are not what they were made as.
  bool is_statement_refused() const;

  /// Rows changed by the last statement; the number of the row it added.
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
