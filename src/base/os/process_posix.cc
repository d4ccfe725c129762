#include "base/os/process.h"

#include <cerrno>
#include <csignal>

#include <sys/resource.h>

#ifdef __APPLE__
#include <libproc.h>
#endif

namespace spoor::os {

void keep_memory_private() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

void die_with_parent() {}

void set_thread_nice(int /*level*/) {}

std::string begin_of_process(pid_t process) {
#ifdef __APPLE__
  proc_bsdinfo about{};
  const int size = sizeof about;
  if (::proc_pidinfo(process, PROC_PIDTBSDINFO, 0, &about, size) != size) return {};
  return std::to_string(about.pbi_start_tvsec * 1'000'000 + about.pbi_start_tvusec);
#else
  return process > 0 && (::kill(process, 0) == 0 || errno == EPERM) ? "0" : "";
#endif
}

}  // namespace spoor::os
