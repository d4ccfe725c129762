#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

/// A signature of an object's or operation's name: the holder of `key` vouches for everything that
/// the hash `target` covers. Ed25519 (RFC 8032).
struct Attest {
  Oid target;                          ///< an object's or an operation's name
  std::array<std::uint8_t, 32> key{};  ///< the public key
  std::array<std::uint8_t, 64> sig{};  ///< over attested_message(target)

  bool operator==(const Attest&) const = default;
};

/// Returns the only valid text of an attest. Works for every value.
std::string serialize(const Attest& attest);

/// Parses the text of an attest. Code::corrupt unless serialize() returns the same bytes. Does not
/// check the signature.
Result<Attest> parse_attest(std::string_view body);

/// Returns the message that is signed: `spoor1 attest`, NUL and the 32 bytes of the name.
std::string attested_message(const Oid& target);

}  // namespace spoor::store
