#pragma once

#include <span>
#include <string_view>

namespace spoor::cli {

/// The program's version, from CMakeLists.txt.
inline constexpr std::string_view kVersion = SPOOR_VERSION;

/// A library whose code the program was built with, and the version of it that the build found.
struct LinkedLibrary {
  std::string_view name;
  std::string_view version;
};

/// All of them, as spoor.spdx.json lists them (cmake/materials.cmake).
std::span<const LinkedLibrary> linked_libraries();

}  // namespace spoor::cli
