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

// A row's columns, of the right types; nothing otherwise.
struct Columns {
  std::int64_t codec;
  std::int64_t size;
  std::string_view bytes;
};

std::optional<Columns> columns(const Statement& row, int first) {
  if (!row.is_integer(first) || !row.is_integer(first + 1) || !row.is_blob(first + 2)) {
    return std::nullopt;
  }
  const Columns found{row.integer(first), row.integer(first + 1), row.bytes(first + 2)};
  const bool is_sound =
      found.size >= 0 &&
      (found.codec == kPacked ||
       (found.codec == kAsIs && found.size == static_cast<std::int64_t>(found.bytes.size())));
  if (!is_sound) return std::nullopt;
  return found;
}

}  // namespace

bool is_known_codec(std::int64_t codec) { return codec == kAsIs || codec == kPacked; }

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

std::optional<std::string> text_body(const Statement& row, int column) {
  const auto found = columns(row, column);
  if (!found) return std::nullopt;
  if (found->codec == kPacked) {
    return unpack_text(found->bytes, static_cast<std::size_t>(found->size));
  }
  return std::string(found->bytes);
}

std::optional<std::string> object_body(const Statement& row, int column) {
  const auto found = columns(row, column);
  if (!found) return std::nullopt;
  if (found->codec == kAsIs) return std::string(found->bytes);
  if (found->size != static_cast<std::int64_t>(kNoSalt.size() + found->bytes.size())) {
    return std::nullopt;
  }
  std::string body;
  body.reserve(kNoSalt.size() + found->bytes.size());
  return body.append(kNoSalt).append(found->bytes);
}

}  // namespace spoor::store::sqlite
