#pragma once

#include <string_view>

namespace spoor::testing {

/// Is `part` somewhere in `text`?
inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace spoor::testing
