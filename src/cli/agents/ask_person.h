#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/planner.h"
#include "cli/session.h"

namespace spoor::cli {

/// Asks the person at the terminal about calls that need approval: once, for all calls of the tool
/// in this run, or not. For RunOptions::person; for one run.
class AskPerson {
 public:
  explicit AskPerson(Session& session) : session_(session) {}

  /// Returns nullopt if the person leaves the question open (Ctrl-C, or the end of the input).
  std::optional<agent::PersonsAnswer> operator()(const agent::Tool& tool,
                                                 std::string_view arguments);

 private:
  Session& session_;
  std::set<std::string> allowed_;  // Tools that need no further question.
};

}  // namespace spoor::cli
