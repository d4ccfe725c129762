#pragma once

#include "llm/money.h"

namespace spoor::llm {

/// What a call cost.
struct Cost {
  Money amount;
  bool is_lower_bound = false;  ///< something that has a price is not known: it may be more

  bool operator==(const Cost&) const = default;
};

}  // namespace spoor::llm
