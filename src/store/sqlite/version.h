#pragma once

#include <string>

namespace spoor::store {

/// Returns the version of the SQLite library in use, for example "3.40.1".
std::string sqlite_version();

/// Returns whether this SQLite can damage a file when one connection commits while another
/// checkpoints. 3.7.0 to 3.51.2 can, except the fixed 3.44.6 and 3.50.7. spoor's own writers never
/// do both at once (docs/durability.md); with such a version no other program may write to a store.
bool sqlite_has_wal_reset_bug();

/// The same for a given `number` in the form of SQLITE_VERSION_NUMBER (3051003).
constexpr bool has_wal_reset_bug(int number) {
  const bool is_backport =
      (number >= 3'044'006 && number < 3'045'000) || (number >= 3'050'007 && number < 3'051'000);
  return number < 3'051'003 && !is_backport;
}

}  // namespace spoor::store
