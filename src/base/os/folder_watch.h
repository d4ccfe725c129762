#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/descriptor.h"

namespace spoor::os {

/// Reports what happens in folders: the entries that are made, written or moved in. Not in the
/// folders below them. For one thread.
///
/// Linux: inotify(7). Elsewhere: looks at the times and sizes of all entries of all folders, each
/// time that it is asked; a file that is written twice between two looks is reported once, one that
/// comes and goes not at all.
class FolderWatch {
 public:
  enum class What {
    made,     ///< an entry was made or moved in
    written,  ///< a file has other bytes
    gone,     ///< the folder is not followed any more: it was removed
    lost,     ///< events were lost: look at everything
  };
  struct Event {
    int folder;  ///< as add() returned it
    What what;
    bool is_folder = false;  ///< the entry is one
    std::string name = {};   ///< of the entry
  };
  enum class Wanted { all, moved_in };

  /// Tests with `bool` whether it can follow folders; if not, errno is set.
  FolderWatch();
  explicit operator bool() const;

  /// Follows a folder. Returns its number, which is the same if it is followed already, or -1 and
  /// errno: ENOSPC if this user follows too many. `moved_in`: only files that are moved in.
  int add(const std::string& path, Wanted wanted = Wanted::all);

  /// Passes on what has happened since the last call, without waiting. Ends when `take` returns
  /// false. `take` may call add().
  void read(const std::function<bool(const Event&)>& take);

  /// Readable when something has happened, for poll(2). -1: nothing tells; ask every kLook.
  int file() const { return file_.number(); }
  static constexpr std::chrono::milliseconds kLook{1'000};

 private:
  struct Entry {  // The state that is compared.
    std::uint64_t inode;
    std::int64_t size;
    std::int64_t seconds;
    std::int64_t nanoseconds;
    bool is_folder;
    bool operator==(const Entry&) const = default;
  };
  struct Folder {
    std::string path;
    std::uint64_t device;
    std::uint64_t inode;
    std::map<std::string, Entry> entries;
  };

  static std::map<std::string, Entry> look(const std::string& path);

  Descriptor file_;
  std::map<int, Folder> folders_;  // Elsewhere than on Linux.
  int last_ = 0;
};

}  // namespace spoor::os
