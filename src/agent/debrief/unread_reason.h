#pragma once

#include <cstdint>
#include <optional>

#include "store/oid.h"

namespace spoor::agent::debrief {

/// The reason of a call that nobody has read yet: where it stands, and what is counted of it.
struct UnreadReason {
  store::Oid fields;      ///< of the answer
  std::int64_t call = 0;  ///< its number there
  std::optional<double> confidence;
};

}  // namespace spoor::agent::debrief
