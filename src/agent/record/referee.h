#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::agent::record {

/// A difference between a replay and the recording.
struct Divergence {
  std::int64_t step = 0;
  std::string what;  ///< `request`, `system prompt`, `rationale`, `decision`, `nudge`, `end`, …
  std::string recorded;
  std::string now;

  bool operator==(const Divergence&) const = default;
};

/// Collects divergences. For one thread.
class Referee {
 public:
  void compare(std::int64_t step, std::string_view what, std::string_view recorded,
               std::string_view now) {
    if (recorded == now) return;
    divergences_.push_back({step, std::string(what), std::string(recorded), std::string(now)});
  }

  const std::vector<Divergence>& divergences() const { return divergences_; }

 private:
  std::vector<Divergence> divergences_;
};

}  // namespace spoor::agent::record
