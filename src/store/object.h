#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// The kind of an object. Its word is part of the bytes that the name hashes.
enum class Kind : std::uint8_t { blob, chunks, commit, bundle, tag, tombstone, attest, rope };

/// All kinds, in order of their numbers.
inline constexpr std::array kKinds = {Kind::blob, Kind::chunks,    Kind::commit, Kind::bundle,
                                      Kind::tag,  Kind::tombstone, Kind::attest, Kind::rope};

/// "blob", "chunks", …: the word in the hashed header.
std::string_view name_of(Kind kind);
std::optional<Kind> kind_from(std::string_view word);

/// Returns the name of an object: SHA-256("spoor1 " + kind + " " + decimal length + NUL + body).
Oid object_name(Kind kind, std::string_view body);

/// The same for a body in two parts.
Oid object_name(Kind kind, std::string_view head, std::string_view tail);

/// An object as hashed and stored. A blob's body begins with its salt.
struct Object {
  Kind kind = Kind::blob;
  std::string body;

  bool operator==(const Object&) const = default;
};

/// An object to be stored. `oid` is object_name(kind, body); the store trusts it, so compute it
/// once, where the body is made.
struct NewObject {
  Oid oid;
  Kind kind = Kind::blob;
  std::string body;
};

/// Hashes `body` and returns it as an object.
NewObject new_object(Kind kind, std::string body);

}  // namespace spoor::store
