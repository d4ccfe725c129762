#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llm/cost_tracker.h"

namespace spoor::agent {

/// Why a run ended.
enum class Stopped {
  goal_achieved,
  max_steps,
  max_cost,
  max_tokens,
  max_wall_time,
  error,
  interrupted,  ///< by a person, or parked until one has approved
};
std::string_view name_of(Stopped stopped);
std::optional<Stopped> stopped_from(std::string_view name);

/// What a run may use; absent: no limit. Reached means over.
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

/// Looks in the order cost, tokens, wall time. `spent` is since the start of the run, as `elapsed`.
std::optional<Reached> check(const Budget& budget, const llm::Spending& spent,
                             std::chrono::microseconds elapsed);

/// What is left of a budget, for a part of the run. Never below zero.
Budget remainder(const Budget& budget, const llm::Spending& spent,
                 std::chrono::microseconds elapsed);

/// `12.5`: seconds as a JSON number.
std::string seconds(std::chrono::microseconds time);

}  // namespace spoor::agent
