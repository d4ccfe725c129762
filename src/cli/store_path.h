#pragma once

#include <string>

#include "cli/environment.h"

namespace spoor::cli {

/// The user's own store, `.spoor` in `$XDG_DATA_HOME/spoor`; it need not be there yet. Empty
/// without a home.
std::string user_store(const Environment& environment);

/// The store file that was named: `given`, else SPOOR_STORE. A folder stands for its `.spoor`.
/// Empty when none was.
std::string named_store(const Environment& environment, const std::string& given);

/// The store file that a command means: the named one, else the nearest `.spoor` in the working
/// directory or above it, else the user's own; empty when there is none.
std::string find_store(const Environment& environment, const std::string& given);

/// The folder that work is done in: the git work tree around the working directory, else that.
std::string project_folder(const Environment& environment);

/// Where a new store goes: the file `given`, or `.spoor` in that folder or in
/// the working directory.
std::string new_store_path(const Environment& environment, const std::string& given);

}  // namespace spoor::cli
