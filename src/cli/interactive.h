#pragma once

#include <set>
#include <string>

#include "api/printed_ids.h"

namespace spoor::cli {

using api::PrintedIds;

/// The state of an interactive session beyond one command line. Its own commands (Group::session)
/// set it; the loop in repl/ acts on it.
struct Interactive {
  bool timer = false;                   ///< print after each command how long it took
  bool bail = false;                    ///< a script ends at its first failure
  bool leave = false;                   ///< end the session
  bool script_is_input = false;         ///< standard input is being run as a script
  std::set<std::string> allowed_tools;  ///< approved for the rest of the session
  std::string once;                     ///< the file for the output of the next command
  std::string script;                   ///< the file with the next lines to run
  PrintedIds printed;                   ///< the commits that @1, @2 and so on name
};

}  // namespace spoor::cli
