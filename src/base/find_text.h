#pragma once

#include <cstddef>
#include <string_view>

// Exact search, linear in both texts, whatever they are (the standard library's find is not).
namespace spoor {

/// Where `needle` stands in `text` at or after `from`; npos: nowhere. An empty needle is found at
/// once.
std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from = 0);

/// Does `needle` stand anywhere in `text`?
bool holds_text(std::string_view text, std::string_view needle);

}  // namespace spoor
