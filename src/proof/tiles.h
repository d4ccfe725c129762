#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "proof/log_tree.h"

namespace spoor::proof {

/// Passes the files that serve the tree of the first `size` entries (https://c2sp.org/tlog-tiles):
/// tiles of 256 hashes and bundles of 256 entries. `is_there` is asked about each complete one,
/// which never changes. The path is relative, with `/`. Stops at the first error.
Result<void> write_tiles(
    const LogTree& log, std::uint64_t size, const std::function<bool(const std::string&)>& is_there,
    const std::function<Result<void>(const std::string& path, std::string_view bytes)>& write);

}  // namespace spoor::proof
