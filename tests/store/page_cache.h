#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/store/turns.h"
#include "tests/store/watched_vfs.h"

namespace spoor::store {

/// What a disk has of a store's files behind a page cache such as Linux's. What is written can be
/// read at once, and is on the disk after the next sync of its file, or before. A sync that fails
/// takes all that was to be written for written: of that some is on the disk, and the rest never
/// will be unless it is written again.
class PageCache {
 public:
  explicit PageCache(std::string store, std::uint32_t seed)
      : store_(std::move(store)), random_(seed) {
    for (const char* suffix : {"", "-wal", "-mark"}) {
      files_[suffix].disk = sample::bytes_of(store_ + suffix);
    }
  }

  /// For WatchedVfs.
  int note(const WatchedVfs::Deed& deed) {
    if (!deed.path.starts_with(store_)) return SQLITE_OK;
    const auto found = files_.find(deed.path.substr(store_.size()));
    if (found == files_.end()) return SQLITE_OK;
    File& file = found->second;
    if (deed.act != WatchedVfs::Act::sync) {
      file.dirty.push_back({deed.act, std::string(deed.bytes), deed.at});
      return SQLITE_OK;
    }
    const bool fails = failures_ > 0;
    if (fails) --failures_;
    for (const Change& each : file.dirty) {
      if (!fails || random_() % 3 == 0) apply(each, file.disk);
    }
    file.dirty.clear();
    if (found->first == "-wal") is_log_synced_ = !fails;
    return fails ? SQLITE_IOERR_FSYNC : SQLITE_OK;
  }

  /// The next so many syncs fail.
  void fail(int syncs) { failures_ = syncs; }

  /// Did the last sync of the log go well?
  bool is_log_synced() const { return is_log_synced_; }

  /// From now on the store is this one, a copy of what the cache has.
  void move_to(std::string store) { store_ = std::move(store); }

  /// What is on the disk if the power goes now: of what waits for a sync, anything.
  std::map<std::string, std::string> cut() {
    std::map<std::string, std::string> left;
    for (const auto& [suffix, file] : files_) {
      std::string& bytes = left[suffix] = file.disk;
      for (const Change& each : file.dirty) {
        if (random_() % 2 == 0) apply(each, bytes);
      }
    }
    return left;
  }

 private:
  struct Change {
    WatchedVfs::Act act;
    std::string bytes;
    std::int64_t at;
  };
  struct File {
    std::string disk;
    std::vector<Change> dirty;
  };

  static void apply(const Change& change, std::string& bytes) {
    const auto at = static_cast<std::size_t>(change.at);
    if (change.act == WatchedVfs::Act::truncate && bytes.size() > at) bytes.resize(at);
    if (change.act == WatchedVfs::Act::remove) bytes.clear();
    if (change.act != WatchedVfs::Act::write) return;
    if (bytes.size() < at + change.bytes.size()) bytes.resize(at + change.bytes.size());
    bytes.replace(at, change.bytes.size(), change.bytes);
  }

  std::string store_;
  std::mt19937 random_;
  std::map<std::string, File> files_;
  int failures_ = 0;
  bool is_log_synced_ = true;
};

}  // namespace spoor::store
