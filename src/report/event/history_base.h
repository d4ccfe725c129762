#pragma once

#include <string>

#include "report/event/event.h"
#include "report/event/turn_seen.h"

namespace spoor::report {

using store::Oid;

/// What all events of a run, or of a history that no run wrote, have in common.
struct HistoryBase {
  bool is_run = false;
  std::string trace_id;
  std::string span;         ///< of the run as a whole
  std::string parent_span;  ///< of the call that began it; empty: none did
  EventSession session;
  EventRequest request;
};

/// Of a run, by its root: its options say the environment (member `environment`, at the top or in
/// `caller`), the constraints (check/run_constraints.h), that it was begun by the command line
/// (`caller`), and where and on what (`caller.context`: `version`, `channel`, `ticket_id`, `repo`,
/// `branch`). The trace is that of the first run in the line of those that called each other, as
/// far as they are there.
Result<HistoryBase> base_of_run(const graph::Repository& repository, const TurnSeen& root);

/// Of any other history, by the first commit of its chain.
HistoryBase base_of_history(const Oid& root);

/// What a turn of an imported session says of where it was had: `session`, `source`, `agent`,
/// `agent_version`, `cwd`, `git_branch`, `entrypoint`.
void learn_context(const TurnSeen& turn, HistoryBase& base);

}  // namespace spoor::report
