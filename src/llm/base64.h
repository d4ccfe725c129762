#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor::llm {

/// RFC 4648 base64 with padding, and nothing else: what encode_base64 gives back
/// byte for byte. Nothing otherwise.
std::optional<std::string> decode_base64(std::string_view text);

std::string encode_base64(std::string_view bytes);

}  // namespace spoor::llm
