#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/object.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// A body as a row holds it: columns `codec`, `size` and `body` (docs/format.md).
struct Packed {
  std::int64_t codec = 0;
  std::int64_t size = 0;   ///< of the body itself
  std::string_view bytes;  ///< of `own`, or of the body that was packed
  std::string own;

  Packed() = default;
  Packed(const Packed&) = delete;  // `bytes` may point into `own`.
  Packed& operator=(const Packed&) = delete;
};

/// The bit of a codec that says: a zstd frame is around what the other bit says.
inline constexpr std::int64_t kFramed = 2;

/// Does this version know how to unpack it?
bool is_known_codec(std::int64_t codec);

/// Binds the three columns to `parameter` and the two after it.
void bind(Statement& row, int parameter, const Packed& packed);

/// Fills `packed` with a commit's or an operation's text. It lives as long as `body` does.
void pack_text_body(std::string_view body, Packed& packed);

/// The same for any other object: a blob's salt of zeros is left out.
void pack_object_body(std::string_view body, Packed& packed);

/// Fills `packed` with the body of an object of that kind: one of the two above.
void pack_body(Kind kind, std::string_view body, Packed& packed);

/// The body again that was packed so. Nothing when it is malformed, or packed as only a newer spoor
/// can.
std::optional<std::string> unpack_body(Connection& connection, Kind kind, std::int64_t codec,
                                       std::int64_t size, std::string_view bytes);

/// The body again, from a row's three columns beginning with `column`. Nothing when they are
/// malformed, or packed as only a newer spoor can.
std::optional<std::string> text_body(Connection& connection, const Statement& row, int column);
std::optional<std::string> object_body(Connection& connection, const Statement& row, int column);

}  // namespace spoor::store::sqlite
