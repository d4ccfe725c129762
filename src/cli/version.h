#pragma once

#include <string_view>

namespace spoor::cli {

/// The program's version, from CMakeLists.txt.
inline constexpr std::string_view kVersion = SPOOR_VERSION;

}  // namespace spoor::cli
