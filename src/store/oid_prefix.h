#pragma once

#include <optional>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// Returns the lowest name whose hex form begins with `prefix`; nullopt unless `prefix` is at most
/// 64 lower-case digits, since no name matches then.
std::optional<Oid> lowest_oid_with(std::string_view prefix);

/// Returns whether oid.hex() begins with `prefix`.
bool has_prefix(const Oid& oid, std::string_view prefix);

}  // namespace spoor::store
