#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"
#include "store/writer_lock.h"

namespace spoor::store {

/// A store that the user trusts.
struct TrustedStore {
  std::string id;  ///< the store's own id, 32 digits
  /// The inode of its file. Distinguishes a copy from the original.
  std::uint64_t inode = 0;
  /// Creation time of the file, in nanoseconds since 1970; 0: the disk does not record it.
  /// Distinguishes a file that reuses the inode of a deleted one.
  std::uint64_t born = 0;
  std::string path;  ///< the path when it was added; for display only

  bool operator==(const TrustedStore&) const = default;
};

/// The list of stores that the user trusts: those created here, and those marked by 'spoor trust'.
/// It is in `$XDG_DATA_HOME/spoor/trusted` (0600), outside the stores: a line for each, with the
/// store's id, its file's inode and birth (`INODE-BIRTH`) and its path, separated by blanks. A
/// store that was copied, unpacked or checked out has another inode and birth, and is not trusted.
/// Without a home the list is not kept; then a store is trusted if its file belongs to the user.
///
/// When a store is added to a list of 1,000 or more, those leave it that are not at their path any
/// more: programs that make stores in temporary folders do not make it grow without end.
class TrustedStores {
 public:
  /// `home` is the user's folder for spoor's data, data_home(); empty: there is none.
  explicit TrustedStores(const std::string& home);

  /// Takes the lock of the list, under which add() and remove() change it, and makes its folder.
  /// Returns nullopt without a home. The hold must not outlive this object.
  Result<std::optional<WriterLock::Hold>> hold();

  /// Returns the reason why the store in the file at `path` is not trusted: the end of a sentence
  /// that begins with the file's name. Returns an empty string if it is trusted, Code::io if the
  /// file or the list cannot be read.
  Result<std::string> objection(const Store& store, const std::string& path);

  /// Adds the store in `file` to the list, with the `path` that it has or will have. Gives the
  /// store an id if it has none. Returns Code::not_found without a home, or Code::io.
  Result<void> add(Store& store, const std::string& file, const std::string& path);

  /// Creates an empty store at `path` as create_store_file() does, and adds it to the list before
  /// the file has its name: no process finds a new store that is not trusted. Without a home it is
  /// created alone. Returns Code::io with a hint if the list cannot be written.
  Result<void> create(const std::string& path);

  /// Removes the store from the list. Returns false if it was not in it.
  Result<bool> remove(const Store& store, const std::string& path);

  Result<std::vector<TrustedStore>> list() const;

 private:
  Result<bool> is_trusted(const Store& store, const std::string& path) const;

  Result<void> write(const std::vector<TrustedStore>& all) const;
  std::string folder_of_list() const { return file_.substr(0, file_.rfind('/')); }

  std::string file_;  // Empty without a home.
  WriterLock makers_;
};

}  // namespace spoor::store
