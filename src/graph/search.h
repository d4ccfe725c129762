#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/said.h"

namespace spoor::graph {

using store::Oid;

/// The commits reachable from `tips` that say `needle`, newest first (as
/// store::walk_history). Exact bytes of the text itself and of what call_text.h reads in
/// calls: neither encodings nor other fields, names or reasons of annotations are searched.
/// Bytes that are absent say nothing.
Result<std::vector<Oid>> search(const store::Reader& reader, const std::vector<Oid>& tips,
                                std::string_view needle, LookIn where = LookIn::texts_and_calls);

/// The first of them, reading no further than there; nothing when there is none.
Result<std::optional<Oid>> search_newest(const store::Reader& reader, const std::vector<Oid>& tips,
                                         std::string_view needle,
                                         LookIn where = LookIn::texts_and_calls);

}  // namespace spoor::graph
