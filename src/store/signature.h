#pragma once

#include <string>
#include <string_view>

#include "store/attest.h"

namespace spoor::store {

/// The length of a secret signing key: an Ed25519 seed (RFC 8032, 5.1.5).
constexpr std::size_t kSigningKeyBytes = 32;

/// An Ed25519 public key, and a signature.
using PublicKey = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

/// Returns the public half of a secret key of kSigningKeyBytes. Code::invalid for a key of another
/// length, Code::io if the library fails.
Result<PublicKey> public_key_of(std::string_view secret_key);

/// Signs a message (RFC 8032, 5.1.6). Deterministic. Errors of public_key_of().
Result<Signature> sign_message(std::string_view secret_key, std::string_view message);

/// Returns whether `signature` is a valid signature of `message` by `key`.
bool is_signature(const PublicKey& key, std::string_view message, const Signature& signature);

/// Signs an object's or an operation's name with a secret key of kSigningKeyBytes. Deterministic.
/// Errors of public_key_of().
Result<Attest> sign(std::string_view secret_key, const Oid& target);

/// Returns whether `attest.sig` is a valid signature of `attest.target` by `attest.key`. Does not
/// check whose key it is.
bool is_genuine(const Attest& attest);

}  // namespace spoor::store
