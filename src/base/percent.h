#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor {

/// Decodes `%XX` (RFC 3986). Returns nullopt if two hex digits do not follow a `%`.
std::optional<std::string> percent_decoded(std::string_view text);

/// Returns `text` with each byte as `%XX` that is not unreserved (RFC 3986, 2.3) and not one of
/// `plain`.
std::string percent_encoded(std::string_view text, std::string_view plain = {});

}  // namespace spoor
