#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "agent/planner.h"
#include "cli/session.h"
#include "cli/terminal/progress.h"

namespace spoor::cli {

/// Shows a run in progress on standard error: a line for each call and its result, and at a
/// terminal a line that names the pending step. For one run; called from the run's thread.
class RunPrinter {
 public:
  explicit RunPrinter(Session& session);

  void take(const agent::RunEvent& event);

  /// Clears the last line, so that the result can be printed.
  void finish();

 private:
  void print_call(const agent::RunEvent& event);
  void wait_for(std::string label);

  Session& session_;
  std::optional<Progress> progress_;
  std::size_t received_ = 0;  // Bytes of the answer so far.
};

/// Prints the result of a run: the answer on standard output, the rest on standard error; or one
/// JSON document. Returns an error if the run did not reach its goal: Code::interrupted, or the
/// run's own error.
Result<void> print_result(Session& session, const agent::PlanResult& result, bool as_json);

}  // namespace spoor::cli
