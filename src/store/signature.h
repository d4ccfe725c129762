#pragma once

#include <string>
#include <string_view>

#include "store/attest.h"

namespace spoor::store {

/// The length of a secret signing key: an Ed25519 seed (RFC 8032, 5.1.5).
constexpr std::size_t kSigningKeyBytes = 32;

/// Signs an object's or an operation's name with a secret key of kSigningKeyBytes. Deterministic.
/// Code::invalid for a key of another length, Code::io if the library fails.
Result<Attest> sign(std::string_view secret_key, const Oid& target);

/// Returns whether `attest.sig` is a valid signature of `attest.target` by `attest.key`. Does not
/// check whose key it is.
bool is_genuine(const Attest& attest);

}  // namespace spoor::store
