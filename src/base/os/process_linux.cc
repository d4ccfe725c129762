#include "base/os/process.h"

#include <csignal>
#include <fstream>
#include <sstream>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace spoor::os {

void keep_memory_private() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void die_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

void set_thread_nice(int level) {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), level);
}

// The clock tick.
std::string begin_of_process(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  // Behind the command, which is in brackets and may contain anything, are 19 fields before it.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  return fields ? field : std::string();
}

}  // namespace spoor::os
