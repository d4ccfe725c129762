#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/object.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// A body as stored in a row: columns `codec`, `size` and `body` (docs/format.md).
struct Packed {
  std::int64_t codec = 0;
  std::int64_t size = 0;   ///< of the unpacked body
  std::string_view bytes;  ///< of `own`, or of the body that was packed
  std::string own;

  Packed() = default;
  Packed(const Packed&) = delete;  // `bytes` may point into `own`.
  Packed& operator=(const Packed&) = delete;
};

/// The bit of a codec for a zstd frame around the encoding given by the other bit.
inline constexpr std::int64_t kFramed = 2;

/// Returns whether this version can unpack `codec`.
bool is_known_codec(std::int64_t codec);

/// Binds the three columns to `parameter` and the two after it.
void bind(Statement& row, int parameter, const Packed& packed);

/// Packs a commit's or an operation's text. `packed` is valid as long as `body` is.
void pack_text_body(std::string_view body, Packed& packed);

/// Packs the body of any other object, without a blob's salt of zeros.
void pack_object_body(std::string_view body, Packed& packed);

/// Packs the body of an object of `kind` with one of the two functions above.
void pack_body(Kind kind, std::string_view body, Packed& packed);

/// Unpacks a body. Nullopt if it is malformed, or needs a newer spoor.
std::optional<std::string> unpack_body(Connection& connection, Kind kind, std::int64_t codec,
                                       std::int64_t size, std::string_view bytes);

/// Unpacks a body from three columns of a row, starting with `column`. Nullopt if they are
/// malformed, or need a newer spoor.
std::optional<std::string> text_body(Connection& connection, const Statement& row, int column);
std::optional<std::string> object_body(Connection& connection, const Statement& row, int column);

}  // namespace spoor::store::sqlite
