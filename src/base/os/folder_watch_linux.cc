#include "base/os/folder_watch.h"

#include <array>
#include <cstring>

#include <sys/inotify.h>
#include <unistd.h>

namespace spoor::os {
namespace {

constexpr std::uint32_t kAll =
    IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR | IN_EXCL_UNLINK;

FolderWatch::What what_of(std::uint32_t mask) {
  if ((mask & IN_Q_OVERFLOW) != 0) return FolderWatch::What::lost;
  if ((mask & IN_IGNORED) != 0) return FolderWatch::What::gone;
  const bool is_made = (mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  return is_made ? FolderWatch::What::made : FolderWatch::What::written;
}

}  // namespace

FolderWatch::FolderWatch() : file_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

FolderWatch::operator bool() const { return static_cast<bool>(file_); }

int FolderWatch::add(const std::string& path, Wanted wanted) {
  return ::inotify_add_watch(file(), path.c_str(), wanted == Wanted::all ? kAll : IN_MOVED_TO);
}

void FolderWatch::read(const std::function<bool(const Event&)>& take) {
  alignas(inotify_event) std::array<char, 64U << 10U> buffer;
  while (true) {
    const ssize_t size = ::read(file(), buffer.data(), buffer.size());
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      if (!take({event.wd, what_of(event.mask), (event.mask & IN_ISDIR) != 0,
                 event.len == 0 ? std::string() : std::string(name)})) {
        return;
      }
      at += sizeof event + event.len;
    }
  }
}

}  // namespace spoor::os
