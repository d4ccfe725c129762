#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/folder_watch.h"
#include "base/timestamp.h"
#include "graph/repository.h"
#include "import/agent_folders.h"
#include "import/live/file.h"

namespace spoor::import {

/// The folders where agents write sessions (base/os/folder_watch.h): imports what is written as it
/// is written. Folders that do not exist yet are seen when they are made.
///
/// For one thread.
class SessionWatch {
 public:
  /// Where sessions are, and who writes them: a folder, or a file if its name is a session's.
  struct WatchedPath {
    std::string importer;
    std::string path;
  };

  /// Returns the places of an agent, or of all (nullptr).
  static std::vector<WatchedPath> places(const KnownAgent* agent, const std::string& home,
                                         const ReadVariable& variable);

  /// Begins with the files that were written since `since`. Code::io if there are more folders than
  /// this user may watch.
  static Result<std::unique_ptr<SessionWatch>> start(std::vector<WatchedPath> places,
                                                     Timestamp since,
                                                     graph::Repository& repository);

  /// Readable when something was written, to wait for. -1: nothing tells; ask every
  /// os::FolderWatch::kLook.
  int file() const { return watch_.file(); }

  /// Whether a file waits for update(): not all can be read at any time (live_file.h), and one with
  /// an error is read again.
  bool has_more() const { return !changed_.empty(); }

  /// Whether the last update() left out files for lack of time.
  bool has_unread() const { return has_unread_; }

  /// Imports what was written since the last call, for about 100 ms: has_more() then says that it
  /// is not all. Returns the branches that may have changed. An error is one of the repository; the
  /// next call goes on.
  Result<std::set<std::string>> update();

  /// The first file that could not be read at the last update(), which is tried again.
  const std::optional<Error>& unreadable() const { return unreadable_; }

  /// Imports also what waits for more to be written. An error may be that of a file that cannot be
  /// read; the others are imported then.
  Result<std::set<std::string>> finish();

  /// All branches so far.
  const std::set<std::string>& branches() const { return branches_; }

  /// Counts of what is followed.
  std::size_t folders() const { return folders_.size(); }
  std::size_t files() const { return files_; }

 private:
  struct Folder {
    std::string path;
    const WatchedPath* place = nullptr;  // nullptr: a place is to be made in it.
  };
  struct Open {
    LiveFile file;
    std::chrono::steady_clock::time_point last;  // When it was last written.
  };

  SessionWatch(std::vector<WatchedPath> places, Timestamp since, graph::Repository& repository)
      : places_(std::move(places)), since_(since), repository_(repository) {}

  Result<void> look_for(const WatchedPath& place, Timestamp since);
  Result<void> add_place(const WatchedPath& place, Timestamp since);
  Result<void> add_folder(const std::string& path, const WatchedPath* place);
  Result<void> add_tree(const std::string& path, const WatchedPath& place, Timestamp since);
  Result<void> read_events();
  Result<void> take_event(const os::FolderWatch::Event& event);
  Result<void> look_everywhere();
  Result<void> import_changed(std::set<std::string>& branches, bool is_final);
  Result<void> forget_old();

  const std::vector<WatchedPath> places_;
  const Timestamp since_;
  graph::Repository& repository_;
  os::FolderWatch watch_;
  std::map<int, Folder> folders_;                      // By watch.
  std::map<std::string, const WatchedPath*> changed_;  // Files to read.
  std::map<std::string, Open> open_;
  // Files that could not be read, why, and when they are tried again.
  std::map<std::string, std::pair<Error, std::chrono::steady_clock::time_point>> later_;
  std::optional<Error> unreadable_;
  std::set<std::string> branches_;
  std::size_t files_ = 0;
  bool has_unread_ = false;
  Timestamp looked_;  // Earlier writes are known.
};

}  // namespace spoor::import
