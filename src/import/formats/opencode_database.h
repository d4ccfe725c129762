#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "store/sqlite/foreign_file.h"

namespace spoor::import::formats {

/// The database in which OpenCode keeps its sessions, `opencode.db`: tables `session`, `message`
/// and `part`, whose columns `data` are JSON. Source: packages/core/src/database of
/// github.com/anomalyco/opencode, and files that 1.18.33 wrote.
class OpenCodeDatabase {
 public:
  /// Opens the file at `path`; see ForeignFile::open(). Code::invalid if a table or a column is
  /// missing.
  static Result<OpenCodeDatabase> open(const std::string& path, const std::atomic<bool>* cancel);

  struct Session {
    std::string id;
    std::int64_t updated = 0;  ///< milliseconds since 1970
  };

  /// Returns the sessions of which something was written since `since`, in the order in which they
  /// were begun.
  Result<std::vector<Session>> sessions(Timestamp since);

  /// A session as `opencode export` writes it, but without white space.
  struct Exported {
    std::string document;               ///< empty if it cannot be read at all
    std::vector<std::string> problems;  ///< what is missing in it, for people
  };

  /// Reads a session. `is_growing`: without the answers at its end that have not ended.
  Result<Exported> read(const std::string& session, bool is_growing);

 private:
  explicit OpenCodeDatabase(std::unique_ptr<store::sqlite::ForeignFile> file)
      : file_(std::move(file)) {}
  Result<void> check_tables() const;
  Result<Exported> export_session(const std::string& session, bool is_growing) const;
  Result<void> add_info(const std::string& session, Exported& exported) const;
  Result<void> add_messages(const std::string& session, bool is_growing, Exported& exported) const;
  Result<void> add_parts(const std::string& session, const std::string& message,
                         Exported& exported) const;

  std::unique_ptr<store::sqlite::ForeignFile> file_;
};

}  // namespace spoor::import::formats
