#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spoor {

/// Returns the number of edits that turn one word into the other: insert, delete, replace, or swap
/// two neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the known word that was probably meant; empty if none is close enough. It is only
/// suggested, never run.
std::string near_miss(std::string_view word, std::span<const std::string_view> known);

}  // namespace spoor
