#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/reader.h"

namespace spoor::api {

/// Returns the commits that a list of revisions names, in its order. A range `A..B` names the
/// commits of B's first-parent chain that A does not have, oldest first; an empty side means HEAD.
/// Returns Code::invalid for an empty range, or an error of `resolve`, which finds one revision.
Result<std::vector<store::Oid>> named_commits(
    const store::Reader& reader, const std::vector<std::string>& revisions,
    const std::function<Result<store::Oid>(const std::string&)>& resolve);

}  // namespace spoor::api
