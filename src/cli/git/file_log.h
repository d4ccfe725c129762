#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "cli/error.h"

namespace spoor::cli::git {

/// The bytes of a file; shared by the commits that have the same.
using Text = std::shared_ptr<const std::string>;

/// A commit that changed a file: also one that no branch has any more, if a reflog has it.
struct FileCommit {
  std::string id;  ///< 40 or 64 digits
  Timestamp time;  ///< of the commit, not of its author: a whole second
  Text text;       ///< null: it does not have the file
  std::vector<Text> parents;
};

/// A move of HEAD, by a commit, a checkout, a reset, a step of a rebase.
struct HeadMove {
  std::string to;  ///< the commit
  Timestamp time;  ///< a whole second
  Text text;       ///< null: the commit does not have the file
};

/// A file in the history of a repository.
struct FileLog {
  std::vector<std::string> names;    ///< paths from the top: the present one, then others it had
  std::vector<std::string> folders;  ///< the work trees of the repository, this one first
  std::vector<FileCommit> commits;   ///< parents before children, else by time
  std::vector<HeadMove> moves;       ///< oldest first
};

/// Reads repositories with the program `git`, without a shell. A hostile repository cannot make it
/// run a program: hooks, monitors, filters, external diffs, pagers, signature checks and fetches
/// are off.
class FileLogReader {
 public:
  /// `folder` is the top of a work tree.
  explicit FileLogReader(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the names and folders of a file; `name` is its path from the top. Code::invalid if git
  /// cannot read the repository.
  Result<FileLog> names_of(const std::string& name) const;

  /// Reads the commits since `since` and all moves of HEAD since then, and the last one before it.
  Result<void> read_commits(FileLog& log, Timestamp since) const;

 private:
  struct GitOutput;
  Result<GitOutput> git(std::vector<std::string> words, std::string_view input = {}) const;
  Result<void> add_renames(FileLog& log) const;
  Result<std::vector<Text>> texts(const std::vector<std::string>& commits,
                                  const std::vector<std::string>& names) const;

  std::string folder_;
};

}  // namespace spoor::cli::git
