#pragma once

#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::compile {

/// The commits reachable from `tips` whose text holds `needle`, newest first (as
/// store::walk_history). Exact bytes of the text itself: neither its encoding nor
/// fields, names or reasons of annotations are searched.
Result<std::vector<Oid>> search(const store::Reader& reader, const std::vector<Oid>& tips,
                                std::string_view needle);

}  // namespace spoor::compile
