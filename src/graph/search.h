#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/searched_text.h"

namespace spoor::graph {

using store::Oid;

/// Returns the commits reachable from `tips` that contain `needle`, newest first (as
/// store::walk_history). Compares exact bytes of the text itself and of the strings that
/// call_text.h reads in calls. Encodings, other fields, names and reasons of annotations are not
/// searched; nor are absent bytes.
Result<std::vector<Oid>> search(const store::Reader& reader, const std::vector<Oid>& tips,
                                std::string_view needle, LookIn where = LookIn::texts_and_calls);

/// As search(), but returns only the newest and stops there; nullopt if there is none.
Result<std::optional<Oid>> search_newest(const store::Reader& reader, const std::vector<Oid>& tips,
                                         std::string_view needle,
                                         LookIn where = LookIn::texts_and_calls);

}  // namespace spoor::graph
