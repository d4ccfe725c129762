#include "base/os/descriptors.h"

#include <algorithm>
#include <cstdlib>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace spoor::os {
namespace {

// One more than the largest descriptor that is looked for: those that were open before the limit
// was lowered are not. The bound keeps a limit of a billion from taking minutes.
int end_of_descriptors() {
  constexpr rlim_t kMost = 65'536;
  rlimit files{};
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &files) == 0;
  return static_cast<int>(is_known ? std::min(files.rlim_cur, kMost) : kMost);
}

int open_and_unlink(std::string path) {
  path += "/.spoor-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

void close_on_exec_from(int first) {
  const int end = end_of_descriptors();
  for (int file = first; file < end; ++file) ::fcntl(file, F_SETFD, FD_CLOEXEC);
}

void close_from(int first) {
  const int end = end_of_descriptors();
  for (int file = first; file < end; ++file) ::close(file);
}

int open_unnamed(const std::string& folder) { return open_and_unlink(folder); }

int open_in_memory(const char* /*name*/) {
  const char* folder = std::getenv("TMPDIR");
  return open_and_unlink(folder != nullptr && *folder != '\0' ? folder : "/tmp");
}

}  // namespace spoor::os
