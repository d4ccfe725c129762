#pragma once

#include "base/result.h"

namespace spoor::cli {

// Errors are the store's values throughout; the command line only gives them an
// exit status.

/// The statuses a shell sees.
enum Exit : int {
  kExitOk = 0,
  kExitFailed = 1,  ///< it did not work; or differences, with --exit-code
  kExitUsage = 2,   ///< the command line itself is wrong
  kExitBug = 70,    ///< a broken invariant of ours
  kExitInterrupted = 130,
};

/// The exit status an error ends the program with (usage errors are told apart
/// by the session, which knows who was at fault).
constexpr int exit_status(Error::Code code) {
  return code == Error::Code::interrupted ? kExitInterrupted : kExitFailed;
}

}  // namespace spoor::cli
