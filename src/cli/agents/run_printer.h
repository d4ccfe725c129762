#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "agent/planner.h"
#include "cli/session.h"
#include "cli/terminal/waiting_line.h"

namespace spoor::cli {

/// Shows a run in progress on standard error: a line for each call and its result, those of called
/// agents indented, and at a terminal a line that names the pending step. For one run; called from
/// the run's thread.
class RunPrinter {
 public:
  explicit RunPrinter(Session& session);

  void take(const agent::RunEvent& event);

  /// Clears the last line, so that the result can be printed.
  void finish();

 private:
  void show_output(std::string_view text);
  void print_call(const agent::RunEvent& event);
  void wait_for(std::string label);

  Session& session_;
  std::optional<WaitingLine> waiting_;
  std::size_t received_ = 0;  // Bytes of the answer so far.
};

/// Prints the result of a run: the answer on standard output, the rest on standard error; or one
/// JSON document. Returns an error if the run did not reach its goal: Code::interrupted, or the
/// run's own error.
Result<void> print_result(Session& session, const agent::PlanResult& result, bool as_json);

/// Returns the result as a JSON document (docs/cli-json.md) with a line end, or as one line.
std::string write_result(const agent::PlanResult& result, bool one_line = false);

/// Returns `4 steps, 1,234 tokens, $0.0042`.
std::string took(const agent::PlanResult& result);

/// Returns why the run did not reach its goal, with the command that continues it.
Result<void> error_of(const agent::PlanResult& result);

}  // namespace spoor::cli
