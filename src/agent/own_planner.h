#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "agent/rationale.h"
#include "base/result.h"
#include "store/oid.h"

namespace spoor::agent {

/// The end of a run for a reason of a planner's or a program's own.
struct Stop {
  /// A word: small letters, digits, `_` and `-`, at most 64. Recorded as what ended the run, and
  /// shown by debrief, runs and stats.
  std::string reason;
  std::optional<std::string> answer = {};
  std::optional<Rationale> rationale = {};  ///< recorded with the end
  bool achieves_goal = true;                ///< false: the run ends as Stopped::planner
};

/// Reports whether `word` can be a Stop's reason.
bool is_stop_reason(std::string_view word);

/// A planner of a program's own. A run asks it for one move after the other, makes it, and shows it
/// what came of it; the record is that of the built-in planners.
///
/// A run has no state but its record. When it is resumed or replayed, the planner begins again and
/// is shown the recorded outcomes, so its moves must follow from the goal and from what observe()
/// was shown, and from nothing else: neither time nor chance. For one thread.
class Planner {
 public:
  virtual ~Planner() = default;

  /// Tells the model something as a turn of the user, unless it is empty, and asks it. The model
  /// answers with text; it is offered no native calls.
  struct Ask {
    std::string message;
  };

  /// Calls a tool of the run. It is checked, gated and approved like any call.
  struct Act {
    std::string tool;
    std::string arguments = "{}";  ///< a JSON object
    std::string thought = {};
    std::optional<Rationale> rationale = {};
  };

  using Move = std::variant<Ask, Act, Stop>;

  /// The outcome of a move: the model's answer, or the result of the tool or why it failed.
  struct Seen {
    std::string text;
    bool is_error = false;
    bool is_json = false;  ///< of a tool: `text` is a JSON value
    store::Oid commit;     ///< compile there to see what was known then
  };

  /// Returns the name that the run is recorded with: as a reason is, and not that of a Strategy.
  virtual std::string name() const = 0;

  /// Returns the system prompt of a run; `tools` describes its tools, one a line.
  virtual std::string system_prompt(std::string_view tools) const = 0;

  /// Called first in each process that works on the run: forgets all that was seen before.
  virtual void begin(std::string_view goal) = 0;

  /// Returns the next move. An error, or an exception, ends the run with an error.
  virtual Result<Move> step() = 0;

  virtual void observe(const Seen& seen) = 0;
};

}  // namespace spoor::agent
