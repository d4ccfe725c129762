#pragma once

#include <string>

#include "base/os/folder_watch.h"

namespace spoor::cli {

/// Waits for new files in a spool's folder. If the system cannot tell of them, looks every second.
class SpoolWatch {
 public:
  explicit SpoolWatch(const std::string& folder);

  /// Waits until a file comes, a second at most. Returns false if the other end of `finish` is
  /// closed.
  bool wait(int finish);

 private:
  os::FolderWatch watch_;
};

}  // namespace spoor::cli
