#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "tests/store/watched_vfs.h"

namespace spoor::store {

/// What is wrong with a disk: it is full, which lasts; or one call that changes a file fails, or
/// one that reads, or one that opens a file.
enum class Trouble { full, broken, unreadable, unopenable };

/// A disk on which the first so many calls go well before the trouble comes. For WatchedVfs.
class Fault {
 public:
  Fault(Trouble trouble, std::size_t calls_before) : trouble_(trouble), left_(calls_before) {}

  int answer(const WatchedVfs::Deed& deed) {
    if (trouble_ == Trouble::full)
      return refuses(name_of(deed.act)) ? code_when_full(deed) : SQLITE_OK;
    if (trouble_ == Trouble::broken) return refuses(name_of(deed.act)) ? code_of(deed) : SQLITE_OK;
    return SQLITE_OK;
  }
  int answer(WatchedVfs::Look look) {
    if (trouble_ == Trouble::unreadable && look == WatchedVfs::Look::read) {
      return refuses("read") ? SQLITE_IOERR_READ : SQLITE_OK;
    }
    if (trouble_ == Trouble::unopenable && look == WatchedVfs::Look::open) {
      return refuses("open") ? SQLITE_CANTOPEN : SQLITE_OK;
    }
    return SQLITE_OK;
  }

  WatchedVfs::Gate gate() {
    return [this](const WatchedVfs::Deed& deed) { return answer(deed); };
  }
  WatchedVfs::LookGate look_gate() {
    return [this](WatchedVfs::Look look, const std::string&) { return answer(look); };
  }

  /// From now on all goes well.
  void mend() { is_mended_ = true; }

  /// The call that was the first to fail: `write`, `sync`, `truncate`, `remove`, `read`, `open`.
  /// Empty while none did.
  const std::string& struck() const { return struck_; }

 private:
  bool refuses(std::string_view call) {
    if (is_mended_) return false;
    if (left_ > 0) {
      --left_;
      return false;
    }
    if (!struck_.empty()) return trouble_ == Trouble::full;
    struck_ = call;
    return true;
  }

  static std::string_view name_of(WatchedVfs::Act act) {
    switch (act) {
      case WatchedVfs::Act::write:
        return "write";
      case WatchedVfs::Act::sync:
        return "sync";
      case WatchedVfs::Act::truncate:
        return "truncate";
      default:
        return "remove";
    }
  }
  static int code_when_full(const WatchedVfs::Deed& deed) {
    return deed.act == WatchedVfs::Act::write ? SQLITE_FULL : SQLITE_IOERR;
  }
  static int code_of(const WatchedVfs::Deed& deed) {
    switch (deed.act) {
      case WatchedVfs::Act::write:
        return SQLITE_IOERR_WRITE;
      case WatchedVfs::Act::sync:
        return SQLITE_IOERR_FSYNC;
      case WatchedVfs::Act::truncate:
        return SQLITE_IOERR_TRUNCATE;
      default:
        return SQLITE_IOERR_DELETE;
    }
  }

  const Trouble trouble_;
  std::size_t left_;
  bool is_mended_ = false;
  std::string struck_;
};

/// How many calls of each kind were the one that failed.
using Struck = std::map<std::string, int>;

inline std::string shown_struck(const Struck& struck) {
  std::string text;
  for (const auto& [call, count] : struck) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " of " + call;
  }
  return text;
}

/// Did at least so many of each fail?
inline bool reaches(const Struck& struck, const Struck& floors) {
  for (const auto& [call, floor] : floors) {
    const auto found = struck.find(call);
    if (found == struck.end() || found->second < floor) return false;
  }
  return true;
}

}  // namespace spoor::store
