#include "agent/builtin/landlock.h"

#include <cerrno>

namespace spoor::agent::builtin {

int landlock_version() { return 0; }

Result<Descriptor> make_landlock(int /*version*/, const std::vector<LandlockRule>& /*rules*/,
                                 bool /*network*/) {
  return io_error("cannot make Landlock rules: this system has none");
}

int add_landlock(int /*set*/, int /*version*/, int /*file*/, LandlockRule::May /*may*/) {
  return ENOSYS;
}

int enter_landlock(int /*set*/) { return ENOSYS; }

}  // namespace spoor::agent::builtin
