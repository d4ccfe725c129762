#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/error.h"
#include "store/store.h"

namespace spoor::cli {

/// A store that the user trusts.
struct TrustedStore {
  std::string id;           ///< the store's own, 32 digits
  std::uint64_t inode = 0;  ///< of its file, so that a copy is another store
  std::string path;         ///< where it was then; nothing depends on it

  bool operator==(const TrustedStore&) const = default;
};

/// Which stores the user trusts: those made here, and those of which 'spoor trust' said so. Written
/// down outside of the stores, in `$XDG_DATA_HOME/spoor/trusted` (0600): a line each, of the
/// store's id, its file's inode and its path, with blanks between. A store that was copied,
/// unpacked or checked out has another inode, and is not trusted. Without a home nothing can be
/// written down: then a store is trusted if it is the user's own file.
class Trust {
 public:
  explicit Trust(const Environment& environment);

  /// Why the store in the file at `path` is not trusted: the end of a sentence that begins with the
  /// file's name. Empty: it is. Code::io when the file or the list cannot be read.
  Result<std::string> objection(const store::Store& store, const std::string& path) const;

  /// Trusts it from now on. Gives the store an id if it has none. Code::not_found without a home,
  /// Code::io.
  Result<void> add(store::Store& store, const std::string& path) const;

  /// Trusts it no more. False: it was not trusted.
  Result<bool> remove(const store::Store& store, const std::string& path) const;

  Result<std::vector<TrustedStore>> list() const;

 private:
  std::string file_;  // Empty without a home.
};

}  // namespace spoor::cli
