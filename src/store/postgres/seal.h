#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/object.h"
#include "store/postgres/key_tree.h"

namespace spoor::store::postgres {

/// A number that distinguishes two encryptions with one key.
using Nonce = std::array<std::uint8_t, 12>;

/// Encrypts `text`: AES-256-GCM (NIST SP 800-38D) of what zstd makes of it, or of itself if that is
/// not shorter. `about` is authenticated with it. The result is the nonce, the ciphertext and the
/// tag of 16 bytes; what is encrypted begins with 0, and the text, or with 1, and a zstd frame.
/// Throws std::bad_alloc if the cryptographic library cannot.
std::string encrypt(const Key& key, const Nonce& nonce, std::string_view about,
                    std::string_view text);

/// Decrypts what encrypt() returned. Nullopt if it is not that, of this key and `about`.
std::optional<std::string> decrypt(const Key& key, std::string_view about,
                                   std::string_view encrypted);

/// Returns random bytes of the cryptographic library, which throws std::bad_alloc without them.
Nonce random_nonce();
Key random_key();

/// Which key of an object encrypts it: the first of them that is not destroyed.
using Edition = std::uint8_t;

/// Returns the place of an object's key in the tree: the first eight bytes of SHA-256(oid edition).
std::uint64_t address_of(const Oid& oid, Edition edition);

}  // namespace spoor::store::postgres
