#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "import/claude_code/record.h"
#include "import/turn_record.h"

namespace spoor::import::claude_code {

/// Arguments of calls whose result was not read yet, by call id: what a
/// structured result is compared with. Bounded; what does not fit is forgotten.
class OpenCalls {
 public:
  void add(const std::string& id, std::string_view arguments);

  /// The arguments, once; empty when they are not known.
  std::string take(const std::string& id);

  /// The call in a record of its own, which the next such result answers. `take_bare` returns its
  /// id once.
  void set_bare(std::string id) { bare_ = std::move(id); }
  std::string take_bare() { return std::exchange(bare_, {}); }

 private:
  static constexpr std::size_t kMaxBytes = 16U << 20U;
  std::unordered_map<std::string, std::string> arguments_;
  std::size_t bytes_ = 0;
  std::string bare_;
};

/// Makes the turns of a turn record, one at least, in block order: each thinking block a reasoning,
/// each tool result a tool turn, each run of other blocks one turn. Values that are null, false or
/// empty say nothing and are passed over; pointers between records are the graph's.
void make_turns(const Record& record, OpenCalls& calls, LossReport& report, TurnRecord& made);

}  // namespace spoor::import::claude_code
