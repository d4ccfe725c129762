#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// What an object is. The word is part of what its name hashes.
enum class Kind : std::uint8_t { blob, chunks, commit, bundle, tag, tombstone, attest };

/// "blob", "chunks", …: the word in the hashed header.
std::string_view name_of(Kind kind);
std::optional<Kind> kind_from(std::string_view word);

/// The name of an object: SHA-256("spoor1 " + kind + " " + decimal length + NUL + body).
Oid object_name(Kind kind, std::string_view body);

/// As above, of a body given in two parts.
Oid object_name(Kind kind, std::string_view head, std::string_view tail);

/// An object as it is hashed and stored: for a blob the body begins with its salt.
struct Object {
  Kind kind = Kind::blob;
  std::string body;

  bool operator==(const Object&) const = default;
};

/// An object on its way into a store. `oid` is object_name(kind, body); the
/// store trusts it, so it is made next to the body, once.
struct NewObject {
  Oid oid;
  Kind kind = Kind::blob;
  std::string body;
};

/// Names `body` and wraps it.
NewObject new_object(Kind kind, std::string body);

}  // namespace spoor::store
