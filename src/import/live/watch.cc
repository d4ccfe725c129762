#include "import/live/watch.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/os/file_times.h"
#include "import/source.h"

namespace spoor::import {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAtOnce{100};  // In one update().
constexpr std::chrono::seconds kAgain{2};     // Until a file that cannot be read is tried again.
constexpr std::chrono::minutes kOpenFor{15};  // Without a change; then a file is closed.

bool is_written_since(const std::string& path, Timestamp since) {
  constexpr std::int64_t kSlack = 2'000'000;  // Microseconds; some file systems have coarse times.
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  const timespec time = os::written_at(found);
  return time.tv_sec * 1'000'000 + time.tv_nsec / 1000 + kSlack >= since.micros;
}

// Whether a place is one file, in a folder that has others.
bool is_file(const SessionWatch::WatchedPath& place) { return may_be_session(place.path); }

// The folder to follow for a place.
std::string folder_of(const SessionWatch::WatchedPath& place) {
  return is_file(place) ? fs::path(place.path).parent_path().string() : place.path;
}

// Returns the file that a file belongs to: of a database, that is what its log is of.
std::string session_of(std::string path) {
  if (path.ends_with(store::sqlite::kLogSuffix))
    path.resize(path.size() - store::sqlite::kLogSuffix.size());
  return path;
}

}  // namespace

std::vector<SessionWatch::WatchedPath> SessionWatch::places(const KnownAgent* agent,
                                                            const std::string& home,
                                                            const ReadVariable& variable) {
  std::vector<WatchedPath> all;
  for (const KnownAgent& each : known_agents()) {
    if (agent != nullptr && agent != &each) continue;
    for (const AgentPath& folder : each.folders) {
      std::string path = path_of(folder, home, variable);
      if (!path.empty()) all.push_back({std::string(each.name), std::move(path)});
    }
  }
  return all;
}

Result<std::unique_ptr<SessionWatch>> SessionWatch::start(std::vector<WatchedPath> places,
                                                          Timestamp since,
                                                          graph::Repository& repository) {
  std::unique_ptr<SessionWatch> watch(new SessionWatch(std::move(places), since, repository));
  if (!watch->watch_) {
    return io_error(fmt::format("cannot follow folders: {}", std::strerror(errno)),
                    "see fs.inotify.max_user_instances");
  }
  watch->looked_ = SystemClock().now();
  for (const WatchedPath& place : watch->places_) TRY(watch->look_for(place, since));
  return watch;
}

// Follows a place, or the folder in which it, or a folder above it, would be made.
Result<void> SessionWatch::look_for(const WatchedPath& place, Timestamp since) {
  std::error_code error;
  const std::string folder = folder_of(place);
  if (fs::is_directory(folder, error)) return add_place(place, since);
  fs::path above = fs::path(folder).parent_path();
  while (above.has_relative_path() && !fs::is_directory(above, error)) above = above.parent_path();
  TRY(add_folder(above.string(), nullptr));
  // It may have been made meanwhile.
  if (fs::is_directory(folder, error)) return add_place(place, since);
  return {};
}

Result<void> SessionWatch::add_place(const WatchedPath& place, Timestamp since) {
  if (!is_file(place)) return add_tree(place.path, place, since);
  TRY(add_folder(folder_of(place), &place));
  std::error_code error;
  if (!fs::is_regular_file(place.path, error)) return {};
  ++files_;
  const bool is_new = is_written_since(place.path, since) ||
                      is_written_since(place.path + std::string(store::sqlite::kLogSuffix), since);
  if (is_new) changed_.emplace(place.path, &place);
  return {};
}

Result<void> SessionWatch::add_folder(const std::string& path, const WatchedPath* place) {
  const int watch = watch_.add(path);
  if (watch >= 0) {
    Folder& folder = folders_[watch];
    folder.path = path;
    if (place != nullptr) folder.place = place;
    return {};
  }
  if (errno == ENOSPC) {
    return io_error(fmt::format("cannot follow more than {} folders", folders_.size()),
                    "raise fs.inotify.max_user_watches (sysctl)");
  }
  return {};  // It went, or this user may not read it.
}

// Follows a folder and those in it. It is watched before it is read, so that nothing is missed.
Result<void> SessionWatch::add_tree(const std::string& path, const WatchedPath& place,
                                    Timestamp since) {
  TRY(add_folder(path, &place));
  std::error_code error;
  fs::directory_iterator entry(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored) && !entry->is_symlink(ignored);
    if (is_folder) {
      TRY(add_tree(entry->path().string(), place, since));
    } else if (may_be_session(entry->path())) {
      ++files_;
      if (is_written_since(entry->path().string(), since)) {
        changed_.emplace(entry->path().string(), &place);
      }
    }
  }
  return {};
}

Result<void> SessionWatch::read_events() {
  Result<void> done;
  watch_.read([&](const os::FolderWatch::Event& event) {
    done = take_event(event);
    return done.has_value();
  });
  return done;
}

Result<void> SessionWatch::take_event(const os::FolderWatch::Event& event) {
  using What = os::FolderWatch::What;
  if (event.what == What::lost) return look_everywhere();
  const auto found = folders_.find(event.folder);
  if (found == folders_.end()) return {};
  if (event.what == What::gone) {
    const WatchedPath* place = found->second.place;
    folders_.erase(found);  // It was removed: it may be made again.
    return place == nullptr ? Result<void>() : look_for(*place, looked_);
  }
  const Folder folder = found->second;
  const std::string path = session_of(folder.path + "/" + event.name);
  if (folder.place == nullptr) {
    for (const WatchedPath& place : places_) {
      const std::string wanted = folder_of(place);
      const bool leads_there = wanted == path || wanted.starts_with(path + "/");
      if (event.is_folder && leads_there) TRY(look_for(place, looked_));
    }
    return {};
  }
  if (is_file(*folder.place) && path != folder.place->path) return {};
  if (event.is_folder) {
    return event.what == What::made ? add_tree(path, *folder.place, Timestamp{0}) : Result<void>();
  }
  if (!may_be_session(path)) return {};
  if (event.what == What::made) ++files_;
  changed_.emplace(path, folder.place);
  return {};
}

// After events were lost.
Result<void> SessionWatch::look_everywhere() {
  const Timestamp since = looked_;
  looked_ = SystemClock().now();
  for (const WatchedPath& place : places_) TRY(look_for(place, since));
  return {};
}

Result<std::set<std::string>> SessionWatch::update() {
  std::set<std::string> branches;
  TRY(read_events());
  TRY(import_changed(branches, false));
  TRY(forget_old());
  return branches;
}

Result<void> SessionWatch::import_changed(std::set<std::string>& branches, bool is_final) {
  looked_ = SystemClock().now();
  const auto end = Clock::now() + kAtOnce;
  auto changed = std::exchange(changed_, {});
  if (is_final) later_.clear();
  unreadable_.reset();
  while (!changed.empty() && (is_final || Clock::now() < end)) {
    const auto next = changed.extract(changed.begin());
    const std::string& path = next.key();
    const WatchedPath* place = next.mapped();
    if (const auto later = later_.find(path); later != later_.end()) {
      if (Clock::now() < later->second.second) {
        unreadable_ = later->second.first;
        changed_.emplace(path, place);
        continue;
      }
      later_.erase(later);
    }
    const auto found = open_.try_emplace(
        path, Open{LiveFile(path, place->importer, repository_, since_), Clock::now()});
    Open& open = found.first->second;
    open.last = Clock::now();
    const auto updated = open.file.update();
    if (!updated) {
      open_.erase(found.first);
      changed_.emplace(path, place);
      // A file that cannot be read keeps no other from being read.
      if (updated.error().code == Error::Code::denied) {
        unreadable_ = updated.error();
        later_.emplace(path, std::pair(updated.error(), Clock::now() + kAgain));
        continue;
      }
      changed_.merge(changed);
      return updated.error();
    }
    if (open.file.waits()) changed_.emplace(path, place);
    if (!updated.value()) continue;
    branches.insert(open.file.branches().begin(), open.file.branches().end());
    branches_.insert(open.file.branches().begin(), open.file.branches().end());
  }
  has_unread_ = !changed.empty();
  changed_.merge(changed);
  return {};
}

Result<void> SessionWatch::forget_old() {
  for (auto each = open_.begin(); each != open_.end();) {
    const bool is_old = Clock::now() - each->second.last > kOpenFor;
    if (is_old) TRY(each->second.file.finish());
    each = is_old ? open_.erase(each) : std::next(each);
  }
  return {};
}

Result<std::set<std::string>> SessionWatch::finish() {
  std::set<std::string> branches;
  TRY(read_events());
  TRY(import_changed(branches, true));
  for (auto& [path, open] : open_) {
    if (!TRY(open.file.finish())) continue;
    branches.insert(open.file.branches().begin(), open.file.branches().end());
  }
  open_.clear();
  changed_.clear();
  branches_.insert(branches.begin(), branches.end());
  if (unreadable_) return *unreadable_;
  return branches;
}

}  // namespace spoor::import
