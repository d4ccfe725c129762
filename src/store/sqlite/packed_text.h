#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::store::sqlite {

/// Strict text as the file holds it (codec 1 of docs/format.md): a name is 33 bytes instead of 64
/// digits, and what every commit or operation says is one byte each time.
///
/// Nothing when `text` has a byte that stands for something here: it is then stored as it is.
std::optional<std::string> pack_text(std::string_view text);

/// The text again. Nothing when `packed` is malformed or its text is not `size` bytes. What is
/// returned need not be a text that pack_text() would pack this way: its hash is checked above.
std::optional<std::string> unpack_text(std::string_view packed, std::size_t size);

}  // namespace spoor::store::sqlite
