#pragma once

#include <optional>
#include <string>

#include "cli/config.h"
#include "cli/environment.h"
#include "store/store.h"

namespace spoor::cli {

/// The key of a private store: 32 random bytes in a file of their own (0600), as
/// 64 digits, outside the store: `<keys.directory>/<store id>`, by default under
/// `$XDG_DATA_HOME/spoor/keys`. Only the command line looks there.
struct PrivateKey {
  std::string bytes;  ///< 32 of them
  std::string path;   ///< of its file
};

/// An id that nothing else has: 32 hexadecimal digits, drawn by chance. Code::io.
Result<std::string> new_id();

/// The id of a private store (the name of its key's file); nothing for others.
Result<std::optional<std::string>> private_store_id(const store::Store& store);

/// The key of this store, if it is private and the file is there. Code::invalid
/// when the file holds no key, or others may read it.
Result<std::optional<PrivateKey>> find_key(const store::Store& store, Config& config,
                                           const Environment& environment);

/// Makes an empty store private: draws an id and a key, writes the key's file,
/// then marks the store.
Result<PrivateKey> make_private(store::Store& store, Config& config,
                                const Environment& environment);

/// The file that numbers the placeholders of a store which redacts (guard/redact/numbering.h),
/// beside the keys of private stores: `<keys.directory>/<id>.redaction`. Made, with a new key, when
/// this store has none yet. One that is gone is not made again: numbers that stand in the store
/// would come to mean other secrets.
Result<std::string> redaction_key_path(store::Store& store, Config& config,
                                       const Environment& environment);

/// The key of this store's commitments (compile/commitment.h), in `<keys.directory>/<id>.capture`:
/// 32 random bytes, as 64 digits. Made, when the store has none yet; Code::denied when its file is
/// gone: the same text would have another commitment from then on.
Result<std::string> capture_key(store::Store& store, Config& config,
                                const Environment& environment);

/// Was one made?
Result<bool> has_capture_key(const store::Store& store);

/// The secret key (store/signature.h) with which this store's erasures are signed, in
/// `<keys.directory>/<id>.signing`: 32 random bytes, as 64 digits. Made when there is none.
Result<std::string> signing_key(store::Store& store, Config& config,
                                const Environment& environment);

}  // namespace spoor::cli
