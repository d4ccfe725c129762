#include "base/os/file_lock.h"

#include <cerrno>

#include <fcntl.h>

namespace spoor::os {
namespace {

struct flock range(short type, off_t start, off_t length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

}  // namespace

LockedFile::LockedFile(Descriptor file) : file_(std::move(file)) {}
LockedFile::LockedFile(LockedFile&& other) noexcept = default;
LockedFile& LockedFile::operator=(LockedFile&& other) noexcept = default;
LockedFile::~LockedFile() = default;

LockedFile::Answer LockedFile::try_lock(Kind kind, off_t start, off_t length) {
  struct flock lock = range(kind == Kind::read ? F_RDLCK : F_WRLCK, start, length);
  if (::fcntl(number(), F_OFD_SETLK, &lock) == 0) return Answer::granted;
  return errno == EAGAIN || errno == EACCES ? Answer::taken : Answer::failed;
}

void LockedFile::unlock(off_t start, off_t length) {
  struct flock lock = range(F_UNLCK, start, length);
  ::fcntl(number(), F_OFD_SETLK, &lock);
}

bool LockedFile::is_locked_from(off_t start) const {
  struct flock lock = range(F_WRLCK, start, 0);
  return ::fcntl(number(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

}  // namespace spoor::os
