#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/reader.h"

namespace spoor::cli {

/// The commits that a list of revisions names, in its order. A range `A..B` names what the
/// first-parent chain of B has and A has not, oldest first; an empty side of it is HEAD.
/// Code::invalid for a range that holds no commit; otherwise what `resolve` answers, which
/// finds one revision.
Result<std::vector<store::Oid>> named_commits(
    const store::Reader& reader, const std::vector<std::string>& revisions,
    const std::function<Result<store::Oid>(const std::string&)>& resolve);

}  // namespace spoor::cli
