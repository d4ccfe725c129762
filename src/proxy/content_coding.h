#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor::proxy {

/// Decodes a body by its `Content-Encoding` (RFC 9110, 8.4): gzip, deflate, br, zstd, or none.
/// nullopt for another coding, for a body that is not of it, and for one that is longer than `most`
/// when decoded. A body that was cut off is decoded as far as it goes.
std::optional<std::string> decode_content(std::string_view coding, std::string_view body,
                                          std::size_t most);

}  // namespace spoor::proxy
