#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spoor::agent::builtin {

/// Where `needle` stands in `text` at or after `from`; npos: nowhere. Linear in both, whatever they
/// are (the standard library's find is not). An empty needle is found at once.
std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from = 0);

}  // namespace spoor::agent::builtin
