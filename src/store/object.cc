#include "store/object.h"

#include <array>
#include <charconv>
#include <utility>

#include "store/sha256.h"

namespace spoor::store {
namespace {

constexpr std::array<std::string_view, kKinds.size()> kKindNames = {
    "blob", "chunks", "commit", "bundle", "tag", "tombstone", "attest", "rope"};

}  // namespace

std::string_view name_of(Kind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

std::optional<Kind> kind_from(std::string_view word) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == word) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

Oid object_name(Kind kind, std::string_view body) { return object_name(kind, body, {}); }

Oid object_name(Kind kind, std::string_view head, std::string_view tail) {
  // "spoor1 tombstone 18446744073709551615" and its NUL fit.
  std::array<char, 48> header;
  char* at = header.data();
  for (const std::string_view part :
       {std::string_view("spoor1 "), name_of(kind), std::string_view(" ")}) {
    at += part.copy(at, part.size());
  }
  at = std::to_chars(at, header.data() + header.size(), head.size() + tail.size()).ptr;
  *at++ = '\0';
  return sha256({header.data(), static_cast<std::size_t>(at - header.data())}, head, tail);
}

NewObject new_object(Kind kind, std::string body) {
  const Oid oid = object_name(kind, body);
  return {oid, kind, std::move(body)};
}

}  // namespace spoor::store
