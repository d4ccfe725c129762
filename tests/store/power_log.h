#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/store/turns.h"
#include "tests/store/watched_vfs.h"

namespace spoor::store {

/// All that SQLite does to some files, in order, so that what a disk may hold after a power cut can
/// be made of any moment of it. The model: what was written before the last sync of its file is
/// there. Of what came after it, each write on its own is there, is not, or is there up to one of
/// its sectors; as the disk likes, in no order. What is written to a file that was removed before
/// is another file's: the one before is gone then.
class PowerLog {
 public:
  /// From now on, of these files; they may be absent.
  explicit PowerLog(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) before_[path] = sample::bytes_of(path);
  }

  /// For WatchedVfs. Nothing is refused.
  int note(const WatchedVfs::Deed& deed) {
    if (before_.contains(deed.path)) {
      deeds_.push_back({deed.act, deed.path, std::string(deed.bytes), deed.at});
    }
    return SQLITE_OK;
  }

  /// How many deeds there were so far: a moment.
  std::size_t now() const { return deeds_.size(); }

  /// Is the deed that the moment is before a write to this file?
  bool is_write_to(std::size_t moment, const std::string& path) const {
    return moment < deeds_.size() && deeds_[moment].path == path;
  }

  /// What the disk may hold of each file when the power went at this moment.
  std::map<std::string, std::string> cut(std::size_t moment, std::mt19937_64& random) const {
    std::map<std::string, std::size_t> synced;  // How many deeds of each file are there for sure.
    std::map<std::string, std::size_t> last;
    for (std::size_t i = 0; i < moment; ++i) {
      if (deeds_[i].act == WatchedVfs::Act::sync) synced[deeds_[i].path] = i;
      last[deeds_[i].path] = i;
    }
    const auto habit = random() % 4;  // Some disks keep all, some nothing, most as it comes.
    std::map<std::string, std::string> files = before_;
    for (std::size_t i = 0; i < moment; ++i) {
      const Deed& deed = deeds_[i];
      const auto found = synced.find(deed.path);
      const bool is_replaced = deed.act == WatchedVfs::Act::remove && i < last.at(deed.path);
      const bool is_sure =
          (found != synced.end() && i < found->second) || is_replaced || habit == 0;
      std::size_t size = deed.bytes.size();
      if (!is_sure) {
        const auto fate = habit == 1 ? 0 : random() % 3;
        if (fate == 0) continue;
        if (fate == 1) size = std::min(size, random() % (size / kSector + 1) * kSector);
      }
      apply(deed, size, files[deed.path]);
    }
    return files;
  }

 private:
  static constexpr std::size_t kSector = 512;

  struct Deed {
    WatchedVfs::Act act;
    std::string path;
    std::string bytes;
    std::int64_t at;
  };

  static void apply(const Deed& deed, std::size_t size, std::string& file) {
    const auto at = static_cast<std::size_t>(deed.at);
    switch (deed.act) {
      case WatchedVfs::Act::write:
        if (size == 0) return;
        if (file.size() < at + size) file.resize(at + size);
        file.replace(at, size, deed.bytes, 0, size);
        return;
      case WatchedVfs::Act::truncate:
        if (file.size() > at) file.resize(at);
        return;
      case WatchedVfs::Act::remove:
        file.clear();
        return;
      case WatchedVfs::Act::sync:
        return;
    }
  }

  std::map<std::string, std::string> before_;
  std::vector<Deed> deeds_;
};

}  // namespace spoor::store
