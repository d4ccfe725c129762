#pragma once

#include <string>

#include "base/descriptor.h"

namespace spoor::cli {

/// Waits for new files in a spool's folder. If the system cannot tell of them, looks every second.
class SpoolWatch {
 public:
  explicit SpoolWatch(const std::string& folder);

  /// Waits until a file comes, a second at most. Returns false if the other end of `finish` is
  /// closed.
  bool wait(int finish) const;

 private:
  Descriptor file_;
};

}  // namespace spoor::cli
