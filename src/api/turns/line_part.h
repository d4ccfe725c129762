#pragma once

#include <vector>

#include "api/turns/turn_view.h"

namespace spoor::api {

/// Reads a part of the first-parent line that ends at `head`, oldest first: `count` commits from
/// depth `from` on, or those that there are. Costs the part, not the line.
Result<std::vector<TurnView>> read_line_part(const store::Reader& reader, const Oid& head,
                                             std::uint64_t from, std::uint64_t count);

}  // namespace spoor::api
