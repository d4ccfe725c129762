#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llm/cost_tracker.h"

namespace spoor::agent {

/// The reason why a run ended.
enum class Stopped {
  goal_achieved,
  max_steps,
  max_cost,
  max_tokens,
  max_wall_time,
  refused,  ///< the model declined, or the provider's filter withheld the answer
  error,
  interrupted,  ///< by a person, or waiting for an approval
  planner,      ///< by a Stop that does not achieve the goal
};
std::string_view name_of(Stopped stopped);
std::optional<Stopped> stopped_from(std::string_view name);

/// The limits of a run; nullopt: no limit. A value equal to a limit reaches it.
struct Budget {
  std::optional<llm::Money> max_cost;
  std::optional<std::uint64_t> max_tokens;  ///< of requests and replies
  std::optional<std::chrono::microseconds> max_wall_time;

  bool operator==(const Budget&) const = default;
};

/// A limit that was reached, in the unit of its budget: dollars as text, tokens, seconds.
struct Reached {
  Stopped stopped = Stopped::max_cost;
  std::string limit;  ///< a JSON number
  std::string spent;  ///< a JSON number
};

/// Checks cost, then tokens, then wall time. `spent` and `elapsed` count from the start of the run.
std::optional<Reached> check(const Budget& budget, const llm::Spending& spent,
                             std::chrono::microseconds elapsed);

/// Returns the unspent part of a budget, for a part of the run. Never below zero.
Budget remainder(const Budget& budget, const llm::Spending& spent,
                 std::chrono::microseconds elapsed);

/// Formats seconds as a JSON number, such as `12.5`.
std::string seconds(std::chrono::microseconds time);

}  // namespace spoor::agent
