#pragma once

#include <string>
#include <vector>

#include "audit/event/turn_seen.h"

namespace spoor::audit {

/// A call that an answer asks for, with its arguments as they stand there.
struct AskedCall {
  std::string id;  ///< empty: it was written as text
  std::string name;
  std::string arguments;
};

/// The calls of an answer: its native ones; else those that the planner read out of its text, where
/// its meta says that there is one (`action`), or that it is a plan. The n-th is call n.
std::vector<AskedCall> calls_of(const TurnSeen& answer, const compile::Fields& fields,
                                const std::optional<std::string>& text);

}  // namespace spoor::audit
