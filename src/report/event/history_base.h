#pragma once

#include <string>

#include "report/event/event.h"
#include "report/event/turn_seen.h"

namespace spoor::report {

using store::Oid;

/// The values that all events of a run, or of a history that no run wrote, share.
struct HistoryBase {
  bool is_run = false;
  std::string trace_id;
  std::string span;         ///< of the run as a whole
  std::string parent_span;  ///< of the call that began it; empty: none
  EventSession session;
  EventRequest request;
};

/// Returns the base of a run, by its root. The run's options contain the environment (member
/// `environment`, at the top or in `caller`), the constraints (check/run_constraints.h), the fact
/// that the command line began it (`caller`), and its context (`caller.context`: `version`,
/// `channel`, `ticket_id`, `repo`, `branch`). The trace is that of the first run in the chain of
/// runs that called each other, as far as they are present.
Result<HistoryBase> base_of_run(const graph::Repository& repository, const TurnSeen& root);

/// Returns the base of any other history, by the first commit of its chain.
HistoryBase base_of_history(const Oid& root);

/// Adds the context that a turn of an imported session records: `session`, `source`, `agent`,
/// `agent_version`, `cwd`, `git_branch`, `entrypoint`.
void learn_context(const TurnSeen& turn, HistoryBase& base);

}  // namespace spoor::report
