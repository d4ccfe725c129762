#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "report/debrief/debrief.h"
#include "report/debrief/fact.h"

namespace spoor::report::debrief {

/// Reads a trace of Reactive Agents: JSON Lines, one event a line
/// (github.com/tylerjrbuell/reactive-agents-ts, packages/trace/src/events.ts). Text comes in pieces
/// of any size, and facts go out as their lines end. A byte order mark, CRLF and blank lines are
/// fine; a line that holds no JSON object is counted; kinds of events that tell it nothing are
/// passed over. A line of more than kMaxLine bytes counts as broken. For one thread.
class TraceReader {
 public:
  using Sink = std::function<void(const Fact&)>;
  explicit TraceReader(Sink sink) : sink_(std::move(sink)) {}

  void feed(std::string_view piece);

  /// The last line, if no line end followed it.
  void finish();

  std::uint64_t skipped() const { return skipped_; }

  static constexpr std::size_t kMaxLine = 64U << 20U;

 private:
  void line(std::string_view text);

  Sink sink_;
  std::string rest_;  // Of a line whose end has not come yet.
  bool is_too_long_ = false;
  bool is_first_ = true;  // No line has been read.
  bool has_run_id_ = false;
  std::uint64_t skipped_ = 0;
};

/// The debrief of a whole trace; the lists keep `most` elements each.
Debrief debrief_of_trace(std::string_view text, std::size_t most = 1'000);

}  // namespace spoor::report::debrief
