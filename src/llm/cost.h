#pragma once

#include "llm/money.h"

namespace spoor::llm {

/// The cost of a call.
struct Cost {
  Money amount;
  bool is_lower_bound = false;  ///< the price or count of a part is unknown: it may be more

  bool operator==(const Cost&) const = default;
};

}  // namespace spoor::llm
