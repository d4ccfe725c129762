#pragma once

#include <string>

#include "api/printed_ids.h"

namespace spoor::cli {

using api::PrintedIds;

/// What a session of many lines knows beyond one command line. Its own commands
/// (Group::session) say here what shall happen; the loop in repl/ does it.
struct Interactive {
  bool timer = false;            ///< say after each command how long it took
  bool bail = false;             ///< a script ends at its first failure
  bool leave = false;            ///< end the session
  bool script_is_input = false;  ///< standard input is being run as a script
  std::string once;              ///< the file that the next command's output goes to
  std::string script;            ///< the file whose lines come next
  PrintedIds printed;            ///< what @1, @2 and so on mean
};

}  // namespace spoor::cli
