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

// A row's columns, of the right types and without a frame.
struct Columns {
  bool is_short = false;  // As pack_text_body() and pack_object_body() make it.
  std::size_t size = 0;
  std::string own;
  std::string_view bytes;  // Of `own`, or of the row.
};

bool read_columns(Connection& connection, const Statement& row, int first, Columns& found) {
  const bool is_typed =
      row.is_integer(first) && row.is_integer(first + 1) && row.is_blob(first + 2);
  if (!is_typed || !is_known_codec(row.integer(first)) || row.integer(first + 1) < 0) return false;
  found.is_short = (row.integer(first) & kPacked) != 0;
  found.size = static_cast<std::size_t>(row.integer(first + 1));
  found.bytes = row.bytes(first + 2);
  if ((row.integer(first) & kFramed) != 0) {
    auto inside = connection.decompress(found.bytes, found.size);
    if (!inside) return false;
    found.own = std::move(*inside);
    found.bytes = found.own;
  }
  return found.is_short || found.size == found.bytes.size();
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

std::optional<std::string> text_body(Connection& connection, const Statement& row, int column) {
  Columns found;
  if (!read_columns(connection, row, column, found)) return std::nullopt;
  if (found.is_short) return unpack_text(found.bytes, found.size);
  return std::string(found.bytes);
}

std::optional<std::string> object_body(Connection& connection, const Statement& row, int column) {
  Columns found;
  if (!read_columns(connection, row, column, found)) return std::nullopt;
  if (!found.is_short) return std::string(found.bytes);
  if (found.size != kNoSalt.size() + found.bytes.size()) return std::nullopt;
  std::string body;
  body.reserve(found.size);
  return body.append(kNoSalt).append(found.bytes);
}

}  // namespace spoor::store::sqlite
