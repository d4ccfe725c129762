#include "bench/cpu_limit.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

namespace spoor::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kPeriod = 100'000;  // Microseconds.

bool write_word(const fs::path& path, const std::string& word) {
  std::ofstream file(path);
  return static_cast<bool>(file << word << std::flush);
}

std::vector<pid_t> with_children(pid_t process) {
  std::vector<pid_t> found = {process};
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
  for (pid_t child = 0; children >> child;) found.push_back(child);
  return found;
}

void move_to(const fs::path& group, const std::vector<pid_t>& processes) {
  for (const pid_t each : processes) write_word(group / "cgroup.procs", std::to_string(each));
}

}  // namespace

std::optional<CpuLimit> CpuLimit::of(pid_t process, double cores) {
  const int quota = static_cast<int>(kPeriod * cores);
  const std::string name = fmt::format("spoor-bench-{}", process);
  std::error_code error;
  // The first version of control groups, then the second.
  fs::path group = fs::path("/sys/fs/cgroup/cpu") / name;
  const bool is_first = fs::create_directory(group, error);
  if (!is_first) group = fs::path("/sys/fs/cgroup") / name;
  if (!is_first && !fs::create_directory(group, error)) return std::nullopt;
  const bool is_limited = is_first
                              ? write_word(group / "cpu.cfs_period_us", std::to_string(kPeriod)) &&
                                    write_word(group / "cpu.cfs_quota_us", std::to_string(quota))
                              : write_word(group / "cpu.max", fmt::format("{} {}", quota, kPeriod));
  CpuLimit limit(group);
  if (!is_limited) return std::nullopt;
  move_to(group, with_children(process));
  return limit;
}

CpuLimit::~CpuLimit() {
  if (folder_.empty()) return;
  const fs::path group(folder_);
  std::error_code ignored;  // A group that is left harms nobody.
  for (int i = 0; i < 50 && !fs::remove(group, ignored); ++i) {
    std::vector<pid_t> processes;
    std::ifstream members(group / "cgroup.procs");
    for (pid_t member = 0; members >> member;) processes.push_back(member);
    move_to(group.parent_path(), processes);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // Some are ending.
  }
}

}  // namespace spoor::bench
