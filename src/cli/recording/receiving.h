#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "proxy/spool.h"

namespace spoor::cli {

/// The sums of what a recorder of telemetry wrote.
struct Received {
  std::string ref;  ///< the branch of the last trace; empty: none was recorded
  std::uint64_t traces = 0;
  std::uint64_t spans = 0;
  std::uint64_t turns = 0;
  std::uint64_t events = 0;
  std::uint64_t joined = 0;    ///< events about turns that are in the store
  std::uint64_t requests = 0;  ///< requests that an agent repeated (receive/prompt_recorder.h)
  std::uint64_t refused = 0;   ///< posts that could not be recorded

  bool operator==(const Received&) const = default;
};

/// The form between processes: one line.
std::string write_received(const Received& received);
std::optional<Received> read_received(std::string_view line);

/// Records what comes into the spool in the session's store, until the other end of `finish` is
/// closed and the spool is empty. Posts that cannot be recorded are moved to the spool's folder
/// `refused`. An error is one of the store: the rest stays in the spool.
Result<Received> record_received(Session& session, const proxy::Spool& spool, int finish);

}  // namespace spoor::cli
