#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor {

/// Decodes `%XX` (RFC 3986). Returns nullopt if two hex digits do not follow a `%`.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace spoor
