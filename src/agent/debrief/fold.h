#pragma once

#include <cstdint>
#include <deque>

#include "agent/debrief/debrief.h"
#include "agent/debrief/fact.h"

namespace spoor::agent::debrief {

/// Facts in, a debrief out; one fact at a time, in their order. Memory is bounded: by what the
/// lists keep, and by kMaxOpen calls that wait for their results. For one thread.
class Fold {
 public:
  /// The lists of the debrief keep `most` elements each.
  explicit Fold(std::size_t most = 1'000) : debrief_(most) {}

  void add(const Fact& fact);

  /// Facts so far, with what follows from them.
  Debrief finish() const;

  /// For what a source knows and no fact tells: commits, lines skipped.
  Debrief& state() { return debrief_; }

  static constexpr std::size_t kMaxOpen = 1'000;

 private:
  struct Open {
    std::uint64_t number;
    std::uint64_t index;  // In the path.
    std::string tool;
    bool is_explained;
    std::optional<double> confidence;
  };
  struct Adder;

  Place place_of(const Fact& fact) const;
  void close(const Open& open, const CallReturned& returned, const Fact& fact);
  ToolUse& use_of(const std::string& tool);
  void rename(const Open& open, const std::string& tool);

  Debrief debrief_;
  std::uint64_t facts_ = 0;
  std::deque<Open> open_;
  Cost unclaimed_;  // Of the last answer, until its first call takes it.
  std::optional<Completed> completed_;
  std::int64_t elapsed_us_ = 0;
};

}  // namespace spoor::agent::debrief
