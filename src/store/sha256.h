#pragma once

#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// Returns the SHA-256 (FIPS 180-4) of the parts, concatenated.
///
/// Uses libcrypto's low-level functions, which skip the library's start-up: that would be
/// noticeable in a process that prints twenty lines of history.
Oid sha256(std::string_view first, std::string_view second = {}, std::string_view third = {});

/// Returns the HMAC-SHA-256 (RFC 2104).
Oid hmac_sha256(std::string_view key, std::string_view message);

}  // namespace spoor::store
