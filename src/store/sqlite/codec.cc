#include "store/sqlite/codec.h"

#include <algorithm>

#include "store/sqlite/packed_text.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::int64_t kAsIs = 0;
constexpr std::int64_t kPacked = 1;
constexpr std::string_view kNoSalt("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);

void keep_as_is(std::string_view body, Packed& packed) {
  packed.codec = kAsIs;
  packed.size = static_cast<std::int64_t>(body.size());
  packed.bytes = body;
}

// A packed body without its frame.
struct Unframed {
  bool is_short = false;  // Packed by pack_text_body() or pack_object_body().
  std::size_t size = 0;
  std::string own;
  std::string_view bytes;  // A view of `own`, or of the argument.
};

bool unframe(Connection& connection, std::int64_t codec, std::int64_t size, std::string_view bytes,
             Unframed& found) {
  if (!is_known_codec(codec) || size < 0) return false;
  found.is_short = (codec & kPacked) != 0;
  found.size = static_cast<std::size_t>(size);
  found.bytes = bytes;
  if ((codec & kFramed) != 0) {
    auto inside = connection.decompress(found.bytes, found.size);
    if (!inside) return false;
    found.own = std::move(*inside);
    found.bytes = found.own;
  }
  return found.is_short || found.size == found.bytes.size();
}

std::optional<std::string> unpack_text_body(Connection& connection, std::int64_t codec,
                                            std::int64_t size, std::string_view bytes) {
  Unframed found;
  if (!unframe(connection, codec, size, bytes, found)) return std::nullopt;
  if (found.is_short) return unpack_text(found.bytes, found.size);
  return std::string(found.bytes);
}

std::optional<std::string> unpack_object_body(Connection& connection, std::int64_t codec,
                                              std::int64_t size, std::string_view bytes) {
  Unframed found;
  if (!unframe(connection, codec, size, bytes, found)) return std::nullopt;
  if (!found.is_short) return std::string(found.bytes);
  if (found.size != kNoSalt.size() + found.bytes.size()) return std::nullopt;
  std::string body;
  body.reserve(found.size);
  return body.append(kNoSalt).append(found.bytes);
}

// Returns whether the three columns have the right types.
bool are_typed(const Statement& row, int first) {
  return row.is_integer(first) && row.is_integer(first + 1) && row.is_blob(first + 2);
}

}  // namespace

bool is_known_codec(std::int64_t codec) { return (codec & ~(kPacked | kFramed)) == 0; }

void bind(Statement& row, int parameter, const Packed& packed) {
  row.bind(parameter, packed.codec).bind(parameter + 1, packed.size);
  row.bind_blob(parameter + 2, packed.bytes);
}

void pack_text_body(std::string_view body, Packed& packed) {
  keep_as_is(body, packed);
  auto text = pack_text(body);
  if (!text) return;
  packed.codec = kPacked;
  packed.own = std::move(*text);
  packed.bytes = packed.own;
}

void pack_object_body(std::string_view body, Packed& packed) {
  keep_as_is(body, packed);
  if (!body.starts_with(kNoSalt)) return;
  packed.codec = kPacked;
  packed.bytes.remove_prefix(kNoSalt.size());
}

void pack_body(Kind kind, std::string_view body, Packed& packed) {
  if (kind == Kind::commit) {
    pack_text_body(body, packed);
  } else {
    pack_object_body(body, packed);
  }
}

std::optional<std::string> unpack_body(Connection& connection, Kind kind, std::int64_t codec,
                                       std::int64_t size, std::string_view bytes) {
  return kind == Kind::commit ? unpack_text_body(connection, codec, size, bytes)
                              : unpack_object_body(connection, codec, size, bytes);
}

std::optional<std::string> text_body(Connection& connection, const Statement& row, int column) {
  if (!are_typed(row, column)) return std::nullopt;
  return unpack_text_body(connection, row.integer(column), row.integer(column + 1),
                          row.bytes(column + 2));
}

std::optional<std::string> object_body(Connection& connection, const Statement& row, int column) {
  if (!are_typed(row, column)) return std::nullopt;
  return unpack_object_body(connection, row.integer(column), row.integer(column + 1),
                            row.bytes(column + 2));
}

}  // namespace spoor::store::sqlite
