#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::store {

/// A record that the bytes of some objects were erased on purpose: their names remain valid, and
/// their absence is not corruption.
struct Tombstone {
  std::vector<Oid> erased;    ///< at least one; ascending, each once
  std::optional<Oid> reason;  ///< a content; absent when empty
  std::string author;
  Timestamp time;

  bool operator==(const Tombstone&) const = default;
};

/// Returns the only valid text of a tombstone. Code::invalid if it breaks a rule of docs/format.md.
Result<std::string> serialize(const Tombstone& tombstone);

/// Parses the text of a tombstone. Code::corrupt unless serialize() returns the same bytes.
Result<Tombstone> parse_tombstone(std::string_view body);

}  // namespace spoor::store
