#include "base/os/wake.h"

#include <array>

#include <unistd.h>

#include "base/os/pipe.h"

namespace spoor::os {

Wake::Wake() {
  int ends[2];
  if (make_pipe(ends, false) != 0) return;
  file_ = Descriptor(ends[0]);
  in_ = Descriptor(ends[1]);
}

// A full pipe wakes as well.
void Wake::ring() const { (void)!::write(in_.number(), "r", 1); }

void Wake::clear() const {
  std::array<char, 512> rings{};
  while (::read(file_.number(), rings.data(), rings.size()) > 0) {
  }
}

}  // namespace spoor::os
