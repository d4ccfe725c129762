#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::store {

/// Says of objects that their bytes were erased on purpose: the names stay known,
/// and their absence is no corruption.
struct Tombstone {
  std::vector<Oid> erased;    ///< at least one; ascending, each once
  std::optional<Oid> reason;  ///< a content; absent when empty
  std::string author;
  Timestamp time;

  bool operator==(const Tombstone&) const = default;
};

/// The one text of a tombstone. Code::invalid when it breaks a rule of docs/format.md.
Result<std::string> serialize(const Tombstone& tombstone);

/// Code::corrupt unless serialize() gives the same bytes back.
Result<Tombstone> parse_tombstone(std::string_view body);

}  // namespace spoor::store
