#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "graph/repository.h"
#include "import/importer.h"
#include "import/live_import.h"
#include "store/sqlite/foreign_file.h"

namespace spoor::import {

/// A session file that an agent writes: imports what was appended since the last look, from where
/// that one ended. A file that was replaced, cut or rewritten is read anew, as is one whose format
/// is not of lines (Importer::open), at most for a twentieth of a processor's time. In a database,
/// only sessions that changed are read.
class LiveFile {
 public:
  /// `repository` must outlive it. `importer` names the one whose file it is: the first records of
  /// one agent may be like those of another. Empty: the best one for what is there at first.
  /// `since`: sessions of a database that did not change since are not read.
  LiveFile(std::string path, std::string importer, graph::Repository& repository,
           Timestamp since = {0})
      : path_(std::move(path)),
        importer_(std::move(importer)),
        repository_(repository),
        since_(since) {}

  /// Imports what is new. Returns whether it may have changed a branch. A file that is not there,
  /// that cannot be opened, or that no importer accepts, changes nothing. Errors are those of
  /// import().
  Result<bool> update();

  /// Imports also what waits for more. The next update() reads the file anew.
  Result<bool> finish();

  /// Whether update() is to be called again even if nothing is written: the file is to be read as a
  /// whole and it is too early for that, or it is a database to which a commit may be on its way.
  bool waits() const { return waits_; }

  /// The branches that have its turns.
  const std::set<std::string>& branches() const { return branches_; }

  const std::string& path() const { return path_; }

 private:
  Result<bool> read_new(int file);
  Result<bool> begin(int file);
  Result<bool> is_rewritten(int file) const;
  Result<bool> import_whole();
  void note(const LossReport& report);

  const std::string path_;
  const std::string importer_;
  graph::Repository& repository_;
  const Timestamp since_;
  Timestamp seen_ = since_;  // Earlier changes are imported, except for answers without an end.
  std::unique_ptr<LiveImport> live_;
  ino_t inode_ = 0;
  std::uint64_t read_ = 0;                      // Up to here,
  store::sqlite::FileStamp stamp_;              // or, if it is read whole, as it was then.
  std::string before_;                          // The last bytes before `read_`.
  std::string tail_;                            // A line that is not complete.
  std::chrono::steady_clock::time_point next_;  // When it may be read whole again.
  bool is_whole_ = false;
  bool is_ending_ = false;  // Within finish().
  bool waits_ = false;
  bool is_foreign_ = false;  // No importer accepts it.
  std::set<std::string> branches_;
};

}  // namespace spoor::import
