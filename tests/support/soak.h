#pragma once

// Random tests do the same few rounds in each ordinary run; `./dev soak` asks for more of them,
// and from another seed.

#include <cstdint>
#include <cstdlib>

namespace spoor::testing {

inline std::uint64_t soak_number(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

/// How often a test goes round that usually does so `usual` times: SPOOR_SOAK times as often.
template <class Number>
Number rounds(Number usual) {
  static const std::uint64_t factor = soak_number("SPOOR_SOAK", 1);
  return static_cast<Number>(static_cast<std::uint64_t>(usual) * factor);
}

/// The seed in place of `usual`: SPOOR_SEED behind it.
inline std::uint32_t seeded(std::uint64_t usual) {
  static const std::uint64_t shift = soak_number("SPOOR_SEED", 0);
  return static_cast<std::uint32_t>(usual + shift);
}

}  // namespace spoor::testing
