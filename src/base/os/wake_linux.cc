#include "base/os/wake.h"

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace spoor::os {

Wake::Wake() : file_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Wake::ring() const {
  const std::uint64_t one = 1;
  (void)!::write(file_.number(), &one, sizeof one);
}

void Wake::clear() const {
  std::uint64_t rings = 0;
  (void)!::read(file_.number(), &rings, sizeof rings);
}

}  // namespace spoor::os
