#pragma once

#include <sqlite3.h>

#include <functional>
#include <new>
#include <string>
#include <utility>

namespace spoor::store {

/// Tells what SQLite does to files, before it does it: a layer between SQLite
/// and the system, for all connections opened while it lives. One at a time.
class WatchedVfs {
 public:
  enum class Act { write, sync, truncate };
  using Watcher = std::function<void(Act act, const std::string& path)>;

  explicit WatchedVfs(Watcher watcher) : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    watcher_ = std::move(watcher);
    vfs_.pNext = nullptr;
    vfs_.zName = "spoor-watched";
    vfs_.pAppData = this;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~WatchedVfs() { sqlite3_vfs_unregister(&vfs_); }
  WatchedVfs(const WatchedVfs&) = delete;
  WatchedVfs& operator=(const WatchedVfs&) = delete;

 private:
  // What SQLite has in its hands; the system's own file lies behind it.
  struct File {
    sqlite3_file base;
    const WatchedVfs* vfs;
    const char* path;
  };

  static sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
  }

  static void tell(sqlite3_file* file, Act act) {
    const auto* watched = reinterpret_cast<const File*>(file);
    if (watched->path != nullptr) watched->vfs->watcher_(act, watched->path);
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
    const auto* self = static_cast<const WatchedVfs*>(vfs->pAppData);
    new (file) File{{nullptr}, self, path};
    const int code = self->real_->xOpen(self->real_, path, real(file), flags, out);
    if (code == SQLITE_OK) file->pMethods = methods();
    return code;
  }

  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
    tell(file, Act::write);
    return real(file)->pMethods->xWrite(real(file), data, size, at);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    tell(file, Act::truncate);
    return real(file)->pMethods->xTruncate(real(file), size);
  }
  static int sync(sqlite3_file* file, int flags) {
    tell(file, Act::sync);
    return real(file)->pMethods->xSync(real(file), flags);
  }

  // Passes a call on unchanged.
  template <auto method, class... Args>
  static auto pass(sqlite3_file* file, Args... args) {
    return (real(file)->pMethods->*method)(real(file), args...);
  }

  using Methods = sqlite3_io_methods;
  static const Methods* methods() {
    static constexpr Methods kMethods = {
        3,
        pass<&Methods::xClose>,
        pass<&Methods::xRead, void*, int, sqlite3_int64>,
        write,
        truncate,
        sync,
        pass<&Methods::xFileSize, sqlite3_int64*>,
        pass<&Methods::xLock, int>,
        pass<&Methods::xUnlock, int>,
        pass<&Methods::xCheckReservedLock, int*>,
        pass<&Methods::xFileControl, int, void*>,
        pass<&Methods::xSectorSize>,
        pass<&Methods::xDeviceCharacteristics>,
        pass<&Methods::xShmMap, int, int, int, void volatile**>,
        pass<&Methods::xShmLock, int, int, int>,
        pass<&Methods::xShmBarrier>,
        pass<&Methods::xShmUnmap, int>,
        pass<&Methods::xFetch, sqlite3_int64, int, void**>,
        pass<&Methods::xUnfetch, sqlite3_int64, void*>,
    };
    return &kMethods;
  }

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  Watcher watcher_;
};

}  // namespace spoor::store
