#pragma once

#include <string_view>

namespace spoor::guard {

/// The text of rules.toml, as it was when this program was built.
std::string_view builtin_rules();

}  // namespace spoor::guard
