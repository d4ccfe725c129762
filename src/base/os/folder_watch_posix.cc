#include "base/os/folder_watch.h"

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/os/file_times.h"

namespace spoor::os {

FolderWatch::FolderWatch() = default;

FolderWatch::operator bool() const { return true; }

std::map<std::string, FolderWatch::Entry> FolderWatch::look(const std::string& path) {
  std::map<std::string, Entry> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(path.c_str()), ::closedir);
  if (!stream) return entries;
  while (const dirent* entry = ::readdir(stream.get())) {
    std::string name = entry->d_name;
    struct stat found {};
    if (name == "." || name == ".." ||
        ::fstatat(::dirfd(stream.get()), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    const timespec written = written_at(found);
    const bool is_folder = S_ISDIR(found.st_mode);
    // What happens in a folder below is not an event of it.
    const Entry one{found.st_ino, is_folder ? 0 : std::int64_t{found.st_size},
                    is_folder ? 0 : std::int64_t{written.tv_sec},
                    is_folder ? 0 : std::int64_t{written.tv_nsec}, is_folder};
    entries.emplace(std::move(name), one);
  }
  return entries;
}

int FolderWatch::add(const std::string& path, Wanted /*wanted*/) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return -1;
  if (!S_ISDIR(found.st_mode)) {
    errno = ENOTDIR;
    return -1;
  }
  const auto device = static_cast<std::uint64_t>(found.st_dev);
  for (const auto& [number, folder] : folders_) {
    if (folder.device == device && folder.inode == found.st_ino) return number;
  }
  folders_.emplace(++last_, Folder{path, device, found.st_ino, look(path)});
  return last_;
}

void FolderWatch::read(const std::function<bool(const Event&)>& take) {
  std::vector<Event> events;
  for (auto each = folders_.begin(); each != folders_.end();) {
    const int number = each->first;
    Folder& folder = each->second;
    struct stat found {};
    if (::stat(folder.path.c_str(), &found) != 0 || found.st_ino != folder.inode ||
        static_cast<std::uint64_t>(found.st_dev) != folder.device) {
      events.push_back({number, What::gone});
      each = folders_.erase(each);
      continue;
    }
    auto now = look(folder.path);
    for (const auto& [name, entry] : now) {
      const auto before = folder.entries.find(name);
      if (before != folder.entries.end() && before->second == entry) continue;
      const bool is_same = before != folder.entries.end() && before->second.inode == entry.inode;
      events.push_back({number, is_same ? What::written : What::made, entry.is_folder, name});
    }
    folder.entries = std::move(now);
    ++each;
  }
  for (const Event& event : events) {
    if (!take(event)) return;
  }
}

}  // namespace spoor::os
