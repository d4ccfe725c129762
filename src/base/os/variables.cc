#include "base/os/variables.h"

#ifdef __APPLE__
#include <crt_externs.h>
#else
extern char** environ;  // NOLINT: POSIX names it so
#endif

namespace spoor::os {

char** variables() {
#ifdef __APPLE__
  return *::_NSGetEnviron();
#else
  return environ;
#endif
}

}  // namespace spoor::os
