#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/session.h"

namespace spoor::cli {

inline constexpr Option kContext{
    "--context", "KEY=VALUE", "the source of the goal: channel, ticket_id; may be given again",
    0,           Takes::text, Count::many};

/// The place where a run was requested, and its subject. Recorded with the run for its events
/// (docs/events.md). Empty members were not given.
struct RunContext {
  std::string version;  ///< of the program that started the run
  std::string channel;
  std::string ticket_id;
  std::string repo;    ///< the folder of the git repository that contains the root
  std::string branch;  ///< the branch checked out there

  bool operator==(const RunContext&) const = default;
};

/// Returns the values of `--context`, the version of this program, and the git data of `root`, an
/// absolute path. Returns a usage error for an unknown key or an invalid value.
Result<RunContext> read_context(Session& session, const Arguments& arguments,
                                const std::string& root);

/// Converts a context to and from a JSON object. parse_context() returns an empty context if `json`
/// is not an object.
std::string write_context(const RunContext& context);
RunContext parse_context(std::string_view json);

}  // namespace spoor::cli
