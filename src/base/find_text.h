#pragma once

#include <cstddef>
#include <string_view>

// Exact search in time linear in both texts, for any texts (unlike the standard library's find).
namespace spoor {

/// Returns the first position of `needle` in `text` at or after `from`, or npos. Finds an empty
/// needle at once.
std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from = 0);

/// Returns whether `text` contains `needle`.
bool holds_text(std::string_view text, std::string_view needle);

}  // namespace spoor
