#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spoor {

/// RFC 4648 base64 with padding, and nothing else: what encode_base64 gives back
/// byte for byte. Nothing otherwise.
std::optional<std::string> decode_base64(std::string_view text);

std::string encode_base64(std::string_view bytes);

/// What stands in base64 wherever `bytes` are encoded with `before` others (0 to 2) in front of
/// them in their first group of three: without the characters that their neighbours have a part in.
std::string inside_base64(std::string_view bytes, std::size_t before);

/// The same base64 in the alphabet for URLs and file names (RFC 4648, section 5).
std::string with_url_alphabet(std::string coded);

}  // namespace spoor
