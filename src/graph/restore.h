#pragma once

#include <cstddef>
#include <string>

#include "graph/draft.h"

namespace spoor::graph {

using compile::Folder;
using store::Oid;

/// Edits a message back to its text in version `version` (directives.h; 0 is the original). Returns
/// Code::not_found if there is no such version; other errors as for Draft::edit().
Result<Oid> restore(Draft& draft, const store::Reader& reader, const Folder& folder,
                    const std::string& ref, const Oid& target, std::size_t version,
                    const Signed& by);

}  // namespace spoor::graph
