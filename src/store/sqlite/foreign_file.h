#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/sqlite/log_end.h"

struct sqlite3;
struct sqlite3_stmt;

namespace spoor::store::sqlite {

/// The end of the name of the log next to an SQLite file, which has what is not in the file yet.
constexpr std::string_view kLogSuffix = "-wal";

/// The state of a file, and of its log if it is one of SQLite. It changes with each write, and when
/// readers begin to see a commit: that is in the log first, and then, after the log is synced, in
/// its index, which says how much of the log counts.
struct FileStamp {
  std::uint64_t inode = 0, size = 0, log_size = 0;
  std::int64_t written = 0, log_written = 0;  ///< nanoseconds since 1970; 0: it is not there
  bool has_index = false;                     ///< of its log
  IndexHeader index{};

  bool operator==(const FileStamp&) const = default;
};

/// Returns the stamp of the file at `path`. This process must not have it open with SQLite: the
/// index is opened and closed, which drops all locks of a process (a rule of POSIX locks).
FileStamp stamp_of(const std::string& path);

/// An SQLite file of another program, which may be writing it. Reads it, and writes neither it nor
/// anything next to it: not even the index of its log, which SQLite's readers otherwise share.
///
/// The file is untrusted: its views, triggers and virtual tables are not used, and a value has at
/// most kMostLineBytes. A file that is damaged, locked or changed at each attempt is Code::denied.
/// For one thread.
class ForeignFile {
 public:
  /// The bytes that every SQLite file begins with.
  static constexpr std::string_view kMagic{"SQLite format 3\0", 16};

  /// Opens the file. Set `cancel` (may be null) to true, from any thread, to end statements with
  /// Code::interrupted; it must outlive the file. Code::io if the file is not there.
  static Result<std::unique_ptr<ForeignFile>> open(const std::string& path,
                                                   const std::atomic<bool>* cancel);
  ~ForeignFile();
  ForeignFile(const ForeignFile&) = delete;
  ForeignFile& operator=(const ForeignFile&) = delete;

  /// Runs `body`, whose statements see one state of the file. Runs it again if the file was written
  /// meanwhile by a program that could not be locked out, so it must start from nothing.
  Result<void> read(const std::function<Result<void>()>& body);

  /// The rows of a statement. Columns are numbered from 0. Destroy it before `body` returns.
  class Rows {
   public:
    Rows(Rows&& other) noexcept;
    Rows& operator=(Rows&&) = delete;
    ~Rows();

    /// Steps to the next row; false if there is none. Code::invalid if a value is too long.
    Result<bool> next();

    int columns() const;
    std::string_view name(int column) const;
    bool is_null(int column) const;
    std::optional<std::int64_t> integer(int column) const;
    std::optional<double> real(int column) const;

    /// Returns a text's bytes, valid until the next step; nullopt for another type.
    std::optional<std::string_view> text(int column) const;

   private:
    friend class ForeignFile;
    Rows(const ForeignFile& file, sqlite3_stmt* statement) : file_(&file), statement_(statement) {}

    const ForeignFile* file_;
    sqlite3_stmt* statement_;
  };

  /// Prepares a SELECT; `texts` are its parameters. Within read().
  Result<Rows> select(const char* sql, std::initializer_list<std::string_view> texts = {}) const;

  /// Returns the names of a table's columns; none if it is not there or is not a table. Within
  /// read().
  Result<std::vector<std::string>> columns_of(std::string_view table) const;

 private:
  ForeignFile(std::string path, const std::atomic<bool>* cancel)
      : path_(std::move(path)), cancel_(cancel) {}
  Result<bool> has_log_format() const;
  Result<void> connect();
  Result<void> open_as(const std::string& query);
  void close();
  Result<void> execute(const char* sql) const;
  Error error() const;

  const std::string path_;
  const std::atomic<bool>* const cancel_;
  sqlite3* database_ = nullptr;
  FileStamp opened_;
  bool is_locked_ = false;  // Writers respect our locks.
};

}  // namespace spoor::store::sqlite
