#pragma once

#include <string>
#include <vector>

#include "base/os/file_lock.h"
#include "cli/error.h"

namespace spoor::cli {

/// A lock that shows other processes on this machine that a run is in progress, so that they
/// neither resume it nor start another run on its branch. It is a kernel lock on the file
/// `FILE-runs` next to the store. The kernel releases it when the process dies, for any reason; the
/// empty file remains.
///
/// The rule that a run has one writer does not depend on this lock (agent/record/recorder.h). The
/// lock only reports the conflict before anything is spent.
class RunLock {
 public:
  explicit RunLock(const std::string& store_path);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Returns Code::conflict while another process works on the branch.
  Result<void> take_branch(const std::string& name);

  /// Returns Code::conflict while another process continues the run.
  Result<void> take_run(const std::string& id);

  /// Returns Code::conflict while another process runs the data set on the same models: both would
  /// make the trees that are missing.
  Result<void> take_dataset(const std::string& name, std::vector<std::string> models);

 private:
  bool take(const std::string& what);

  std::string path_;
  os::LockedFile file_;
};

}  // namespace spoor::cli
