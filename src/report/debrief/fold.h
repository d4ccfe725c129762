#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "report/debrief/debrief.h"
#include "report/debrief/fact.h"

namespace spoor::report::debrief {

/// Builds a debrief from facts, one at a time, in their order. Memory is bounded by the size of the
/// lists and by kMaxOpen calls that wait for their results. For one thread.
class DebriefFold {
 public:
  /// Creates a fold whose lists keep `most` elements each.
  explicit DebriefFold(std::size_t most = 1'000) : state_(most) {}

  void add(const Fact& fact);

  /// Returns the debrief of the facts so far, with its conclusions.
  Debrief finish() const;

  /// Returns the debrief, for values that a source knows without a fact: commits, lines skipped.
  Debrief& debrief() { return state_.debrief; }

  static constexpr std::size_t kMaxOpen = 1'000;

  /// A call that waits for its result.
  struct Open {
    std::uint64_t number = 0;
    std::uint64_t index = 0;  ///< in the path
    std::string tool;
    bool is_explained = false;
    std::optional<double> confidence;
  };

  struct State {
    explicit State(std::size_t most) : debrief(most) {}

    Debrief debrief;
    std::uint64_t facts = 0;
    std::deque<Open> open;
    TokenCost unclaimed;  ///< of the last answer, until its first call takes it
    std::optional<Completed> completed;
    std::int64_t elapsed_us = 0;
  };

 private:
  struct Adder;

  Position position_of(const Fact& fact) const;
  void close(const Open& open, const CallReturned& returned, const Fact& fact);
  ToolUse& use_of(const std::string& tool);
  void rename(const Open& open, const std::string& tool);

  State state_;
};

}  // namespace spoor::report::debrief
