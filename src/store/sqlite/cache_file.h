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

/// The file beside a store file that keeps models' replies, where somebody asks for it.
std::string reply_cache_path(const std::string& store_path);

/// Bytes by key in an SQLite file of its own, which forgets the oldest when it is full. What it
/// hands out is what was put in: each entry carries the SHA-256 of its key and bytes, and one that
/// does not match is dropped.
///
/// Safe to call from any thread; any number of processes may have the file open.
class CacheFile {
 public:
  struct Options {
    unsigned permissions = 0600;           ///< of a file that is made
    std::int64_t version = 1;              ///< of the entries; a file of another is emptied
    std::int64_t max_bytes = 256LL << 20;  ///< of all entries together
  };

  /// Opens the file, or makes it. A file of ours that is damaged or of another version is emptied.
  /// Code::invalid when it is anything else: what is not ours is never written. Code::io.
  static Result<std::unique_ptr<CacheFile>> open(const std::string& path, const Options& options);

  ~CacheFile();
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  /// The bytes of a key; nothing when there are none.
  Result<std::optional<std::string>> get(const Oid& key);

  /// Keeps bytes in the place of what the key had; drops the oldest entries for room. Bytes that
  /// are more than all the room are not kept.
  Result<void> put(const Oid& key, std::string_view bytes);

  Result<void> drop(const Oid& key);

  struct Size {
    std::int64_t entries = 0;
    std::int64_t bytes = 0;

    bool operator==(const Size&) const = default;
  };
  Result<Size> size();

  /// Forgets everything; freed pages are overwritten.
  Result<void> clear();

  /// Empties the cache at `path`, if there is one: what erasure does.
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
