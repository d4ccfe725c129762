#pragma once

#include <optional>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// The lowest name whose hex form begins with `prefix`. Nothing when `prefix` is
/// not at most 64 lower-case digits: then no name begins with it.
std::optional<Oid> lowest_oid_with(std::string_view prefix);

/// Does oid.hex() begin with `prefix`?
bool has_prefix(const Oid& oid, std::string_view prefix);

}  // namespace spoor::store
