#pragma once

#include <string>

#include "base/result.h"

#include "base/environment.h"

namespace spoor::cli {

/// Returns the path of the user's own store, `.spoor` in `$XDG_DATA_HOME/spoor`; it need not exist.
/// Empty without a home.
std::string user_store(const Environment& environment);

/// Returns the path of the named store: `given`, else SPOOR_STORE. A folder means its `.spoor`.
/// Empty if neither is set.
std::string named_store(const Environment& environment, const std::string& given);

/// Returns the store file for a command: the named one, else the nearest `.spoor` in the working
/// directory or above it, else the user's own; empty if there is none.
std::string find_store(const Environment& environment, const std::string& given);

/// Returns the project's folder: the git work tree around the working directory, else the working
/// directory.
std::string project_folder(const Environment& environment);

/// Returns the path for a new store: the file `given`, or `.spoor` in that folder or in the working
/// directory.
std::string new_store_path(const Environment& environment, const std::string& given);

/// Returns the beginning of the names of files about a store that are this machine's alone: the
/// path of a file; of an address, a path in the folder of spoor's state. Makes that folder.
Result<std::string> files_of_store(const Environment& environment, const std::string& store);

/// Returns a store's path or address as it is shown: without a password.
std::string shown_store(const std::string& store);

}  // namespace spoor::cli
