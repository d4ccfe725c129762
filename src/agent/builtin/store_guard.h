#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin/descriptor.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// Keeps tools away from the store that their run is recorded in. Its files are the store itself
/// and those beside it whose names begin with its name and a hyphen: `-wal`, `-shm`, `-lock`,
/// indexes, whatever is to come. They are told by device and inode, so it does not matter by which
/// path, link or name somebody comes to them; and by name where they are not there yet, in any case
/// of letters.
///
/// Immutable; safe to use from any thread. Looks at the folder anew at each call.
class StoreGuard {
 public:
  StoreGuard() = default;  ///< there is no store
  explicit StoreGuard(const std::string& path);

  /// The store's files as they were at one moment.
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
    bool has_links_ = false;  // One of them has another name somewhere.
  };
  Files files() const;

  /// Is `name` in an open folder a file of the store's, or would it be, were it made? A folder is
  /// none unless it has the name of one.
  bool covers(const Files& files, int folder, std::string_view name) const;

  /// The same for any other store, which is known by what it holds or by the name `.spoor`, as it
  /// is made by `spoor init`; a side file by the store's name and a hyphen. Opens the file, which
  /// drops the locks that this process has on it: `files` are passed over.
  static bool is_of_other(const Files& files, int folder, const std::string& name);

  /// Is the file at `path`, from an open folder, such a store, by what it holds? Opens it likewise.
  static bool is_other(const Files& files, int folder, const std::string& path);

  /// Code::denied when a file of the store's lies in one of these folders or below it, or may: when
  /// one of them has a second name.
  Result<void> check_outside(const std::vector<std::string>& folders) const;

  static Error refusal(std::string_view path);
  static Error refusal_of_other(std::string_view path);

 private:
  std::string folder_;  // Empty: there is no store.
  std::string name_;    // In small letters.
};

}  // namespace spoor::agent::builtin
