#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace spoor::bench {

/// A limit on the processor time of processes and of what they start, by a control group of the
/// kernel: several servers on one machine are then as scarce as machines of their own.
class CpuLimit {
 public:
  /// Limits `process` and its children to `cores`. nullopt without the right to do so.
  static std::optional<CpuLimit> of(pid_t process, double cores);

  CpuLimit(CpuLimit&& other) noexcept : folder_(std::move(other.folder_)) { other.folder_.clear(); }
  CpuLimit& operator=(CpuLimit&&) = delete;
  /// Frees the processes.
  ~CpuLimit();

 private:
  explicit CpuLimit(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

}  // namespace spoor::bench
