#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "import/live/agent_sessions.h"
#include "proxy/spool.h"

namespace spoor::cli {

/// The sums of what a recorder wrote.
struct Recording {
  std::string ref;  ///< the branch of the last turn; empty: none was recorded
  std::uint64_t requests = 0;
  std::uint64_t input = 0;  ///< tokens
  std::uint64_t output = 0;
  std::string cost;  ///< as it is shown: `$0.42`, `≥$0.42` if one price is unknown

  bool operator==(const Recording&) const = default;
};

/// The form between processes: one line.
std::string write_recording(const Recording& recording);
std::optional<Recording> read_recording(std::string_view line);

/// Records what comes into the spool in the session's store, until the other end of `finish` is
/// closed and the spool is empty. Others are moved to the spool's folder `refused`.
/// An error is one of the store: the exchange stays in the spool.
Result<Recording> record_all(Session& session, const proxy::Spool& spool, int finish);

/// The session files of this user's agents.
import::AgentSessions agent_sessions(const Session& session, graph::Repository& repository);

}  // namespace spoor::cli
