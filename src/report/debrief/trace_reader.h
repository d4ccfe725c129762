#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "report/debrief/debrief.h"
#include "report/debrief/fact.h"

namespace spoor::report::debrief {

/// Reads a trace of Reactive Agents: JSON Lines, one event per line
/// (github.com/tylerjrbuell/reactive-agents-ts, packages/trace/src/events.ts). Text comes in pieces
/// of any size, and facts are passed on as their lines end. A byte order mark, CRLF and blank lines
/// are allowed. A line without a JSON object, or longer than kMaxLine bytes, is counted as skipped.
/// Irrelevant kinds of events are ignored. For one thread.
class TraceReader {
 public:
  using Sink = std::function<void(const Fact&)>;
  explicit TraceReader(Sink sink) : sink_(std::move(sink)) {}

  void feed(std::string_view piece);

  /// Reads the last line if it has no line end.
  void finish();

  std::uint64_t skipped() const { return skipped_; }

  static constexpr std::size_t kMaxLine = 64U << 20U;

 private:
  void line(std::string_view text);

  Sink sink_;
  std::string rest_;  // The line whose end has not come yet.
  bool is_too_long_ = false;
  bool is_first_ = true;  // No line has been read.
  bool has_run_id_ = false;
  std::uint64_t skipped_ = 0;
};

/// Returns the debrief of a whole trace; the lists keep `most` elements each.
Debrief debrief_of_trace(std::string_view text, std::size_t most = 1'000);

}  // namespace spoor::report::debrief
