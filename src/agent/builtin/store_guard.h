#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// Keeps tools away from the store that their run is recorded in. Its files are the store itself
/// and the files in the same folder whose names begin with its name and a hyphen: `-wal`, `-shm`,
/// `-lock`, indexes, and future ones. Existing files are recognised by device and inode, so the
/// path, link or name does not matter; missing ones by name, ignoring case.
///
/// Immutable; thread-safe. Reads the folder at each call.
class StoreGuard {
 public:
  StoreGuard() = default;  ///< no store
  explicit StoreGuard(const std::string& path);

  /// The store's files at one moment.
  class Files {
   public:
    bool hold(const struct stat& file) const;

   private:
    friend class StoreGuard;
    struct Identity {
      dev_t device;
      ino_t inode;
    };
    std::vector<Identity> identities_;
    bool has_links_ = false;  // One of them has a second name.
  };
  Files files() const;

  /// Reports whether `name` in an open folder is a file of the store, or would be one if it were
  /// made. A folder is one only if it has such a name.
  bool covers(const Files& files, int folder, std::string_view name) const;

  /// As above for any other store. A store is recognised by its contents or by the name `.spoor`,
  /// which `spoor init` uses; a side file by the store's name and a hyphen. Opens the file, which
  /// drops this process's locks on it; so `files` are skipped.
  static bool is_of_other(const Files& files, int folder, const std::string& name);

  /// Reports whether the contents of the file at `path`, from an open folder, are such a store.
  /// Also opens it.
  static bool is_other(const Files& files, int folder, const std::string& path);

  /// Returns Code::denied if a file of the store is in or below one of these folders, or may be
  /// because it has a second name.
  Result<void> check_outside(const std::vector<std::string>& folders) const;

  static Error refusal(std::string_view path);
  static Error refusal_of_other(std::string_view path);

 private:
  std::string folder_;  // Empty: no store.
  std::string name_;    // In lower case.
};

}  // namespace spoor::agent::builtin
