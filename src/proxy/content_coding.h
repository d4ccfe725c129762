#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::proxy {

/// A body without its coding.
struct Decoded {
  enum class State : std::uint8_t {
    whole,
    cut,       ///< the end is missing: `bytes` is what came
    bad,       ///< not of the coding, or of an unknown one
    too_long,  ///< longer than is allowed
  };
  State state = State::whole;
  std::string bytes;
};

/// Decodes a body by its `Content-Encoding` (RFC 9110, 8.4): gzip, deflate, br, zstd, or none,
/// up to `most` bytes.
Decoded decode_body(std::string_view coding, std::string body, std::size_t most);

/// Does the same. nullopt for a body that is bad or too long; one that was cut off is decoded as
/// far as it goes.
std::optional<std::string> decode_content(std::string_view coding, std::string_view body,
                                          std::size_t most);

}  // namespace spoor::proxy
