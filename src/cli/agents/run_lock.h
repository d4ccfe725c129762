#pragma once

#include <string>

#include "cli/error.h"

namespace spoor::cli {

/// Says to the other processes of this machine that a run is going on: they neither resume it nor
/// start another one on its branch. A lock of the kernel in the file `FILE-runs` beside the store,
/// released when the process dies, however it dies; the file stays, and is empty.
///
/// That a run has one writer does not rest on this (agent/record/recorder.h): it only says so
/// before anything is spent.
class RunLock {
 public:
  explicit RunLock(const std::string& store_path);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Code::conflict while another process works on the branch.
  Result<void> take_branch(const std::string& name);

  /// Code::conflict while another process goes on with the run.
  Result<void> take_run(const std::string& id);

 private:
  bool take(const std::string& what);

  std::string path_;
  int file_ = -1;
};

}  // namespace spoor::cli
