#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace spoor::sync {

using store::Oid;

/// The state of another store's log when it was last seen.
struct Seen {
  std::optional<Oid> operation;    ///< its newest one
  std::optional<Oid> pushed = {};  ///< a later one, by which it took a push from here
  std::string checkpoint = {};     ///< the newest signed note of it (proof/note.h); may be empty

  bool operator==(const Seen&) const = default;
};

/// Another store that this one knows by a name.
struct KnownRemote {
  std::string name;
  std::string url;
  std::string key = {};  ///< that signs its checkpoints (proof::VerifierKey); empty: not known
  Seen seen = {};

  bool operator==(const KnownRemote&) const = default;
};

/// Returns the remotes, by name. They are facts of this user's workspace (Store::local).
Result<std::vector<KnownRemote>> known_remotes(const store::Store& store);

/// Returns one. Code::not_found, with the names that there are.
Result<KnownRemote> known_remote(const store::Store& store, const std::string& name);

/// Adds a remote; its `seen` is not kept. Code::conflict if the name is taken, Code::invalid if it,
/// the address or the key is not valid.
Result<void> add_remote(store::Store& store, const KnownRemote& remote);

/// Notes how far a remote was seen.
Result<void> note_seen(store::Store& store, const std::string& name, const Seen& seen);

/// Removes a remote. Its tracking refs stay: remove them with it.
Result<void> remove_remote(store::Store& store, const std::string& name);

}  // namespace spoor::sync
