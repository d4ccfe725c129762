#pragma once

#include <sqlite3.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace spoor::store {

/// Tells what SQLite does to files, before it does it, and may refuse it: a layer
/// between SQLite and the system, for all connections opened while it lives. One at
/// a time.
class WatchedVfs {
 public:
  enum class Act { write, sync, truncate, remove };

  /// What is about to be done to a file. The bytes live for the call.
  struct Deed {
    Act act = Act::write;
    std::string path;
    std::string_view bytes = {};  ///< of a write
    std::int64_t at = 0;          ///< of a write, where; of truncate, the size to come
  };
  using Watcher = std::function<void(Act act, const std::string& path)>;
  /// Answers SQLITE_OK, or the code that SQLite gets instead of the deed.
  using Gate = std::function<int(const Deed& deed)>;

  /// What is about to be done to a file without changing it.
  enum class Look { open, read };
  /// The same of these. Of a read that is refused SQLite's file says that it was EIO.
  using LookGate = std::function<int(Look look, const std::string& path)>;

  explicit WatchedVfs(Watcher watcher)
      : WatchedVfs(Gate([watcher = std::move(watcher)](const Deed& deed) {
          watcher(deed.act, deed.path);
          return SQLITE_OK;
        })) {}
  explicit WatchedVfs(LookGate looks)
      : WatchedVfs(Gate([](const Deed&) { return SQLITE_OK; }), std::move(looks)) {}
  explicit WatchedVfs(Gate gate, LookGate looks = {})
      : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    gate_ = std::move(gate);
    looks_ = std::move(looks);
    vfs_.pNext = nullptr;
    vfs_.zName = "spoor-watched";
    vfs_.pAppData = this;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = open;
    vfs_.xDelete = remove;
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
    bool is_read_refused;
  };

  static sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
  }

  // Of a file without a name, which is temporary, nothing is told.
  static int ask(sqlite3_file* file, Act act, std::string_view bytes = {}, std::int64_t at = 0) {
    const auto* watched = reinterpret_cast<const File*>(file);
    if (watched->path == nullptr) return SQLITE_OK;
    return watched->vfs->gate_({act, watched->path, bytes, at});
  }

  static int look(sqlite3_file* file, Look look) {
    const auto* watched = reinterpret_cast<const File*>(file);
    if (watched->path == nullptr || !watched->vfs->looks_) return SQLITE_OK;
    return watched->vfs->looks_(look, watched->path);
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int sync) {
    const auto* self = static_cast<const WatchedVfs*>(vfs->pAppData);
    const int code = self->gate_({Act::remove, path});
    return code != SQLITE_OK ? code : self->real_->xDelete(self->real_, path, sync);
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
    const auto* self = static_cast<const WatchedVfs*>(vfs->pAppData);
    new (file) File{{nullptr}, self, path, false};
    const int refused = look(file, Look::open);
    if (refused != SQLITE_OK) return refused;
    const int code = self->real_->xOpen(self->real_, path, real(file), flags, out);
    if (code == SQLITE_OK) file->pMethods = methods();
    return code;
  }

  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
    const int code =
        ask(file, Act::write, {static_cast<const char*>(data), static_cast<std::size_t>(size)}, at);
    if (code != SQLITE_OK) return code;
    return real(file)->pMethods->xWrite(real(file), data, size, at);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    const int code = ask(file, Act::truncate, {}, size);
    if (code != SQLITE_OK) return code;
    return real(file)->pMethods->xTruncate(real(file), size);
  }
  static int sync(sqlite3_file* file, int flags) {
    const int code = ask(file, Act::sync);
    if (code != SQLITE_OK) return code;
    return real(file)->pMethods->xSync(real(file), flags);
  }

  static int read(sqlite3_file* file, void* data, int size, sqlite3_int64 at) {
    const int code = look(file, Look::read);
    reinterpret_cast<File*>(file)->is_read_refused = code != SQLITE_OK;
    if (code != SQLITE_OK) return code;
    return real(file)->pMethods->xRead(real(file), data, size, at);
  }
  static int control(sqlite3_file* file, int what, void* data) {
    if (what == SQLITE_FCNTL_LAST_ERRNO && reinterpret_cast<File*>(file)->is_read_refused) {
      *static_cast<int*>(data) = EIO;
      return SQLITE_OK;
    }
    return real(file)->pMethods->xFileControl(real(file), what, data);
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
        read,
        write,
        truncate,
        sync,
        pass<&Methods::xFileSize, sqlite3_int64*>,
        pass<&Methods::xLock, int>,
        pass<&Methods::xUnlock, int>,
        pass<&Methods::xCheckReservedLock, int*>,
        control,
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
  Gate gate_;
  LookGate looks_;
};

}  // namespace spoor::store
