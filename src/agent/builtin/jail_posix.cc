// The work of a Jail (sandbox.h) in the child, where the system cannot confine commands: nothing.
#include <unistd.h>

#include <cerrno>

#include "agent/builtin/sandbox.h"

namespace spoor::agent::builtin {

pid_t clone_process(unsigned long flags) noexcept {
  if (flags == 0) return ::fork();
  errno = ENOSYS;
  return -1;
}

unsigned long namespace_flags(bool /*network*/, bool /*of_user*/) noexcept { return 0; }

int Jail::name_user() const noexcept { return 0; }
int Jail::enter() const noexcept { return flags_ == 0 ? 0 : ENOSYS; }
int Jail::confine() const noexcept { return landlock_ == 0 && filter_.empty() ? 0 : ENOSYS; }

}  // namespace spoor::agent::builtin
