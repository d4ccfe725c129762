#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace spoor::sync {

using store::Oid;

/// Another store that this one knows by a name.
struct KnownRemote {
  std::string name;
  std::string url;
  std::optional<Oid> seen;  ///< its newest operation when it was last fetched from

  bool operator==(const KnownRemote&) const = default;
};

/// Returns the remotes, by name. They are facts of this user's workspace (Store::local).
Result<std::vector<KnownRemote>> known_remotes(const store::Store& store);

/// Returns one. Code::not_found, with the names that there are.
Result<KnownRemote> known_remote(const store::Store& store, const std::string& name);

/// Adds a remote. Code::conflict if the name is taken, Code::invalid if it or the address is not
/// valid.
Result<void> add_remote(store::Store& store, const std::string& name, const std::string& url);

/// Notes how far a remote was seen.
Result<void> note_seen(store::Store& store, const std::string& name,
                       const std::optional<Oid>& seen);

/// Removes a remote. Its tracking refs stay: remove them with it.
Result<void> remove_remote(store::Store& store, const std::string& name);

}  // namespace spoor::sync
