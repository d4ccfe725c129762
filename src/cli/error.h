#pragma once

#include "base/result.h"

namespace spoor::cli {

// Errors are the store's values throughout; the command line only maps them to an exit status.

/// The exit statuses of the program.
enum Exit : int {
  kExitOk = 0,
  kExitFailed = 1,  ///< the command failed; or differences, with --exit-code
  kExitUsage = 2,   ///< the command line is wrong
  kExitBug = 70,    ///< a broken invariant in this program
  kExitInterrupted = 130,
};

/// Returns the exit status for an error. Usage errors have another one, which the session sets.
constexpr int exit_status(Error::Code code) {
  return code == Error::Code::interrupted ? kExitInterrupted : kExitFailed;
}

}  // namespace spoor::cli
