#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::trace {

/// Returns the files that a patch names: unified (`+++ b/x`), git's (`rename to x`), and `***
/// Update File: x`.
std::vector<std::string> files_of_patch(std::string_view patch);

}  // namespace spoor::trace
