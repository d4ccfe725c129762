#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spoor {

/// Decodes RFC 4648 base64 with padding. Accepts only what encode_base64 returns, byte for byte;
/// else nullopt.
std::optional<std::string> decode_base64(std::string_view text);

std::string encode_base64(std::string_view bytes);

/// Returns the base64 characters that depend only on `bytes`, for bytes that follow `before` others
/// (0 to 2) in their first group of three. Characters that also encode neighbouring bytes are left
/// out.
std::string inside_base64(std::string_view bytes, std::size_t before);

/// Converts base64 to the alphabet for URLs and file names (RFC 4648, section 5).
std::string with_url_alphabet(std::string coded);

}  // namespace spoor
