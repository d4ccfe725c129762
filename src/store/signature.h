#pragma once

#include <string>
#include <string_view>

#include "store/attest.h"

namespace spoor::store {

/// How long the secret half of a signing key is: an Ed25519 seed (RFC 8032, 5.1.5).
constexpr std::size_t kSigningKeyBytes = 32;

/// Signs an object's or an operation's name with a secret key of kSigningKeyBytes. Deterministic.
/// Code::invalid for a key of another length, Code::io when the library refuses.
Result<Attest> sign(std::string_view secret_key, const Oid& target);

/// Did who holds `attest.key` sign `attest.target`? Says nothing of whose key it is.
bool is_genuine(const Attest& attest);

}  // namespace spoor::store
