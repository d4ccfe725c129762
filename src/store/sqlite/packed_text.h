#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::store::sqlite {

/// Packs strict text for the file (codec 1 of docs/format.md): a name takes 33 bytes instead of 64
/// digits, and each phrase common to commits or operations takes one byte.
///
/// Nullopt if `text` contains a byte with a meaning in this encoding; it is then stored unpacked.
std::optional<std::string> pack_text(std::string_view text);

/// Unpacks a text. Nullopt if `packed` is malformed or its text is not `size` bytes. The result
/// need not be a text that pack_text() would pack the same way: a higher layer checks its hash.
std::optional<std::string> unpack_text(std::string_view packed, std::size_t size);

}  // namespace spoor::store::sqlite
