#pragma once

#include <string>

#include "base/result.h"

namespace spoor::cli {

/// Copies the folder `from`, with its links as links, to `to`, unless `to` exists: it was copied by
/// an earlier process then, and an agent has worked there since. `to` appears with all its files or
/// not at all. Leaves out the store at `store` and its files, whatever folder they are in.
Result<void> copy_root(const std::string& from, const std::string& to, const std::string& store);

}  // namespace spoor::cli
