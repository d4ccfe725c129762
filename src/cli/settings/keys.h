#pragma once

#include <optional>
#include <string>

#include "base/environment.h"
#include "cli/settings/config.h"
#include "store/store.h"

namespace spoor::cli {

/// The key of a private store: 32 random bytes, as 64 digits, in a file (0600) outside the store:
/// `<keys.directory>/<store id>`, by default under `$XDG_DATA_HOME/spoor/keys`. Only the command
/// line reads it.
struct PrivateKey {
  std::string bytes;  ///< 32 bytes
  std::string path;   ///< of its file
};

/// Returns the id of a private store (the name of its key file), or nullopt for other stores.
Result<std::optional<std::string>> private_store_id(const store::Store& store);

/// Returns the key of this store, if the store is private and the file exists. Returns
/// Code::invalid if the file does not contain a key, or if others may read it.
Result<std::optional<PrivateKey>> find_key(const store::Store& store, Config& config,
                                           const Environment& environment);

/// Makes an empty store private: creates an id and a key, writes the key file, then marks the
/// store.
Result<PrivateKey> make_private(store::Store& store, Config& config,
                                const Environment& environment);

/// Returns the path of the file that numbers the placeholders of a store that redacts
/// (guard/redact/numbering.h): `<keys.directory>/<id>.redaction`, next to the keys of private
/// stores. Creates it, with a new key, if this store has none yet. A missing file is not created
/// again: numbers already in the store would refer to other secrets.
Result<std::string> redaction_key_path(store::Store& store, Config& config,
                                       const Environment& environment);

/// Returns the key of this store's commitments (compile/commitment.h), in
/// `<keys.directory>/<id>.capture`: 32 random bytes, as 64 digits. Creates it if the store has none
/// yet. Returns Code::denied if its file is missing: with another key the same text would have
/// another commitment.
Result<std::string> capture_key(store::Store& store, Config& config,
                                const Environment& environment);

/// Returns true if the store has a capture key.
Result<bool> has_capture_key(const store::Store& store);

/// Returns the secret key (store/signature.h) that signs this store's erasures, in
/// `<keys.directory>/<id>.signing`: 32 random bytes, as 64 digits. Creates it if there is none.
Result<std::string> signing_key(store::Store& store, Config& config,
                                const Environment& environment);

/// The key that signs the checkpoints of a store's log (proof/log_tree.h), in
/// `<keys.directory>/<id>.log`.
struct LogKey {
  std::string secret;  ///< 32 bytes (store/signature.h)
  std::string origin;  ///< `spoor/<id>`, the name of the log
  /// `<keys.directory>/<id>.checkpoint`: the file with the newest note that was signed with it
  std::string remembered;
};

/// Returns the key of this store's log. Creates it, and with it the log's name, if the store has
/// none yet or `is_new`. Returns Code::denied if its file is missing.
Result<LogKey> log_key(store::Store& store, bool is_new, Config& config,
                       const Environment& environment);

/// Returns this user's key for derived data (store/kept_cache.h), in `<keys.directory>/cache.key`:
/// 32 random bytes, as 64 digits. Creates it if there is none. Returns Code::not_found if there is
/// no folder for keys, and the errors of reading and writing it.
Result<std::string> cache_key(Config& config, const Environment& environment);

}  // namespace spoor::cli
