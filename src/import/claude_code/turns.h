#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "import/claude_code/record.h"
#include "import/turn_record.h"

namespace spoor::import::claude_code {

/// The arguments of calls without a result so far, by call id. Structured results are compared with
/// them. Bounded; calls that do not fit are dropped.
class OpenCalls {
 public:
  void add(const std::string& id, std::string_view arguments);

  /// Removes and returns the arguments; empty if they are not known.
  std::string take(const std::string& id);

  /// Stores the id of a call in a record of its own, which the next such result answers.
  /// `take_bare` removes and returns it.
  void set_bare(std::string id) { bare_ = std::move(id); }
  std::string take_bare() { return std::exchange(bare_, {}); }

 private:
  static constexpr std::size_t kMaxBytes = 16U << 20U;
  std::unordered_map<std::string, std::string> arguments_;
  std::size_t bytes_ = 0;
  std::string bare_;
};

/// Makes the turns of a turn record, at least one, in block order: each thinking block is a
/// reasoning, each tool result a tool turn, each run of other blocks one turn. Ignores values that
/// are null, false or empty, and pointers between records, which the graph contains.
void make_turns(const Record& record, OpenCalls& calls, LossReport& report, TurnRecord& made);

}  // namespace spoor::import::claude_code
