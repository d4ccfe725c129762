#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

namespace sqlite {
class SideFile;
}

/// Returns the path of the optional cache of model replies next to a store file.
std::string reply_cache_path(const std::string& store_path);

/// A cache of bytes by key in an SQLite file of its own, which drops the oldest entries when it is
/// full. Each entry contains the SHA-256 of its key and bytes; one that does not match is dropped,
/// so get() returns only bytes that were put.
///
/// Safe to call from any thread; any number of processes may have the file open.
class CacheFile {
 public:
  struct Options {
    unsigned permissions = 0600;           ///< of a new file
    std::int64_t version = 1;              ///< of the entries; a file of another version is emptied
    std::int64_t max_bytes = 256LL << 20;  ///< of all entries together
  };

  /// Opens or creates the file. Empties a cache file that is damaged or of another version.
  /// Code::invalid if it is any other file, which is never written. Code::io.
  static Result<std::unique_ptr<CacheFile>> open(const std::string& path, const Options& options);

  ~CacheFile();
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  /// Returns the bytes of a key; nullopt if there are none.
  Result<std::optional<std::string>> get(const Oid& key);

  /// Stores bytes, replacing those of the key; drops the oldest entries to make room. Ignores bytes
  /// larger than the whole cache.
  Result<void> put(const Oid& key, std::string_view bytes);

  Result<void> drop(const Oid& key);

  struct Size {
    std::int64_t entries = 0;
    std::int64_t bytes = 0;

    bool operator==(const Size&) const = default;
  };
  Result<Size> size();

  /// Removes all entries; freed pages are overwritten.
  Result<void> clear();

  /// Empties the cache at `path`, if there is one. Used by erasure.
  static Result<void> forget(const std::string& path);

 private:
  CacheFile(std::string path, const Options& options);
  Result<void> open_file();
  Result<void> make_tables();
  Result<void> make_anew();
  Result<std::optional<std::string>> read(const Oid& key);
  Result<void> write(const Oid& key, std::string_view bytes);
  Result<void> remove(const Oid& key);
  Result<void> make_room(std::int64_t bytes);

  const std::string path_;
  const Options options_;
  std::mutex mutex_;
  std::unique_ptr<sqlite::SideFile> file_;  // Guarded by mutex_.
};

}  // namespace spoor::store
