#pragma once

#include <string>

namespace spoor::cli {

/// Returns the name of what is this user's alone in a store of many: each user on each machine has
/// one. Who the author of a turn is does not matter.
std::string user_workspace();

}  // namespace spoor::cli
