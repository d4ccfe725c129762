#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::compile {

/// Has this commit a text that a search looks at: not the reason of an annotation, not
/// a setting?
bool has_text(const Commit& commit);

/// The commits reachable from `tips` whose text holds `needle`, newest first (as
/// store::walk_history). Exact bytes of the text itself: neither its encoding nor
/// fields, names or reasons of annotations are searched.
Result<std::vector<Oid>> search(const store::Reader& reader, const std::vector<Oid>& tips,
                                std::string_view needle);

/// The first of them, reading no further than there; nothing when there is none.
Result<std::optional<Oid>> search_newest(const store::Reader& reader, const std::vector<Oid>& tips,
                                         std::string_view needle);

}  // namespace spoor::compile
