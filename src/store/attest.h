#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

/// A signature under an object or an operation: who holds `key` vouches for all
/// that `target`'s hash covers. Ed25519 (RFC 8032).
struct Attest {
  Oid target;                          ///< an object's or an operation's name
  std::array<std::uint8_t, 32> key{};  ///< the public key
  std::array<std::uint8_t, 64> sig{};  ///< over attested_message(target)

  bool operator==(const Attest&) const = default;
};

/// The one text of an attest. Every value has one.
std::string serialize(const Attest& attest);

/// Code::corrupt unless serialize() gives the same bytes back. The signature is
/// not checked here.
Result<Attest> parse_attest(std::string_view body);

/// What is signed: `spoor1 attest`, NUL and the 32 bytes of the name.
std::string attested_message(const Oid& target);

}  // namespace spoor::store
