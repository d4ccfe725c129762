#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spoor::cli {

/// Edits that turn one word into the other: insert, delete, replace, or swap two
/// neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word that was probably meant; empty when none is near enough. It is
/// only ever suggested, never run.
std::string near_miss(std::string_view word, std::span<const std::string_view> known);

}  // namespace spoor::cli
