#pragma once

#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// SHA-256 (FIPS 180-4) of the parts, one after the other.
///
/// Uses libcrypto's low-level functions: they need no library start-up, which a
/// process that prints twenty lines of history would notice.
Oid sha256(std::string_view first, std::string_view second = {}, std::string_view third = {});

/// HMAC-SHA-256 (RFC 2104).
Oid hmac_sha256(std::string_view key, std::string_view message);

}  // namespace spoor::store
