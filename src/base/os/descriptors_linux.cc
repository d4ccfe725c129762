#include "base/os/descriptors.h"

#include <cerrno>
#include <climits>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spoor::os {
namespace {

constexpr unsigned kCloseOnExec = 1U << 2U;  // CLOSE_RANGE_CLOEXEC

}  // namespace

void close_on_exec_from(int first) {
  ::syscall(SYS_close_range, static_cast<unsigned>(first), UINT_MAX, kCloseOnExec);
}

void close_from(int first) {
  ::syscall(SYS_close_range, static_cast<unsigned>(first), UINT_MAX, 0U);
}

int open_unnamed(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string path = folder + "/.spoor-import-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

int open_in_memory(const char* name) { return ::memfd_create(name, MFD_CLOEXEC); }

}  // namespace spoor::os
