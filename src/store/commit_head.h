#pragma once

#include <optional>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// The name on the first `parent` line of a commit's body; nothing at a root, or
/// where the first lines are no commit's. Reads no further, so that a walk over
/// a long chain need not parse what it only passes: what is found here is not
/// proof that the whole body is a commit.
std::optional<Oid> first_parent_of(std::string_view body);

/// The name on the `content` line, under the same terms.
std::optional<Oid> content_of(std::string_view body);

}  // namespace spoor::store
