#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/session.h"

namespace spoor::cli {

inline constexpr Option kContext{
    "--context", "KEY=VALUE", "where the goal comes from: channel, ticket_id; may be given again",
    0,           Takes::text, Count::many};

/// Where a run was asked for, and on what: kept with the run, for its events (docs/events.md).
/// Empty: nobody said.
struct RunContext {
  std::string version;  ///< of the program that began it
  std::string channel;
  std::string ticket_id;
  std::string repo;    ///< the folder of the git repository that the root lies in
  std::string branch;  ///< that was checked out there

  bool operator==(const RunContext&) const = default;
};

/// What `--context` says, the version of this program, and what git's files say of `root`, which is
/// absolute. A usage error for a key that there is not, and for a value that is none.
Result<RunContext> read_context(Session& session, const Arguments& arguments,
                                const std::string& root);

/// As a JSON object, and back; what is no object says nothing.
std::string write_context(const RunContext& context);
RunContext parse_context(std::string_view json);

}  // namespace spoor::cli
