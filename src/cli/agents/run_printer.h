#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "agent/planner.h"
#include "cli/session.h"
#include "cli/terminal/progress.h"

namespace spoor::cli {

/// Shows a run while it goes on, on standard error: a line for each call and what it gave, and at a
/// terminal one that says what is waited for. For one run; calls come from its thread.
class RunPrinter {
 public:
  explicit RunPrinter(Session& session);

  void take(const agent::RunEvent& event);

  /// Takes the last line away, so that the result can be printed.
  void finish();

 private:
  void print_call(const agent::RunEvent& event);
  void wait_for(std::string label);

  Session& session_;
  std::optional<Progress> progress_;
  std::size_t received_ = 0;  // Bytes of the answer so far.
};

/// How a run ended: the answer on standard output, the rest on standard error; or one JSON
/// document. An error where it did not reach its goal: interrupted, or what it says.
Result<void> print_result(Session& session, const agent::PlanResult& result, bool as_json);

}  // namespace spoor::cli
