#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// Returns the name on the first `parent` line of a commit's body; nullopt for a root, or if the
/// first lines are not a commit's. Reads no further, so that a walk over a long chain need not
/// parse the commits it only passes. A result does not prove that the whole body is a commit.
std::optional<Oid> first_parent_of(std::string_view body);

/// Returns the name on the `content` line, with the same limits.
std::optional<Oid> content_of(std::string_view body);

/// Returns the number on the `depth` line and the name on the `skip` line, with the same limits.
std::optional<std::uint64_t> depth_of(std::string_view body);
std::optional<Oid> skip_of(std::string_view body);

}  // namespace spoor::store
