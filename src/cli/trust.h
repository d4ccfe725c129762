#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/error.h"
#include "store/store.h"
#include "store/writer_lock.h"

namespace spoor::cli {

/// A store that the user trusts.
struct TrustedStore {
  std::string id;  ///< the store's own, 32 digits
  /// Of its file, so that a copy is another store, also one that got the number of a file that is
  /// gone.
  std::uint64_t inode = 0;
  /// When the file was made, in nanoseconds after 1970; 0: the disk does not say.
  std::uint64_t born = 0;
  std::string path;  ///< where it was then; nothing depends on it

  bool operator==(const TrustedStore&) const = default;
};

/// Which stores the user trusts: those made here, and those of which 'spoor store trust' said so.
/// Written down outside of the stores, in `$XDG_DATA_HOME/spoor/trusted` (0600): a line each, of
/// the store's id, its file's inode and birth (`INODE-BIRTH`) and its path, with blanks between. A
/// store that was copied, unpacked or checked out has others, and is not trusted. Without a home
/// nothing can be written down: then a store is trusted if it is the user's own file.
class Trust {
 public:
  explicit Trust(const Environment& environment);

  /// Held by who makes a store, until it is trusted: nobody looks at it in between. Nothing without
  /// a home. For the life of this object.
  Result<std::optional<store::WriterLock::Hold>> hold();

  /// Why the store in the file at `path` is not trusted: the end of a sentence that begins with the
  /// file's name. Empty: it is. Code::io when the file or the list cannot be read.
  Result<std::string> objection(const store::Store& store, const std::string& path);

  /// Trusts it from now on. Gives the store an id if it has none. Code::not_found without a home,
  /// Code::io.
  Result<void> add(store::Store& store, const std::string& path) const;

  /// Trusts it no more. False: it was not trusted.
  Result<bool> remove(const store::Store& store, const std::string& path) const;

  Result<std::vector<TrustedStore>> list() const;

 private:
  Result<bool> is_trusted(const store::Store& store, const std::string& path) const;

  bool may_be_made() const;
  std::string folder_of_list() const { return file_.substr(0, file_.rfind('/')); }

  std::string file_;  // Empty without a home.
  store::WriterLock makers_;
};

}  // namespace spoor::cli
