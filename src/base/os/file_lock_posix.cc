#include "base/os/file_lock.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

namespace spoor::os {
namespace {

constexpr off_t kEnd = std::numeric_limits<off_t>::max();

// A locked range [begin, end) of one holder, by the number of its descriptor.
struct Held {
  int holder;
  LockedFile::Kind kind;
  off_t begin;
  off_t end;
};

// A file that this process has open.
struct File {
  int holders = 0;
  std::vector<Held> locks;
  std::vector<Descriptor> closed;  // To be closed with the last lock: closing one ends all.
};

using Key = std::pair<dev_t, ino_t>;

struct Table {
  std::mutex mutex;
  std::map<Key, File> files;
  std::map<int, Key> keys;  // By descriptor.
};

Table& table();

void before_fork() { table().mutex.lock(); }
void after_fork() { table().mutex.unlock(); }

// The parent's locks are not the child's, so closing a descriptor ends none.
void begin_child() {
  for (auto& [key, file] : table().files) {
    file.locks.clear();
    file.closed.clear();
  }
  after_fork();
}

// Never destroyed: a LockedFile may be a static object.
Table& table() {
  static Table* const made = [] {
    ::pthread_atfork(before_fork, after_fork, begin_child);
    return new Table;
  }();
  return *made;
}

off_t end_of(off_t start, off_t length) { return length == 0 ? kEnd : start + length; }

bool meets(const Held& held, off_t begin, off_t end) {
  return held.begin < end && begin < held.end;
}

struct flock range(short type, off_t begin, off_t end) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = begin;
  lock.l_len = end == kEnd ? 0 : end - begin;
  return lock;
}

// Takes a range from the locks of a holder.
void cut(std::vector<Held>& locks, int holder, off_t begin, off_t end) {
  std::vector<Held> kept;
  for (const Held& each : locks) {
    if (each.holder != holder || !meets(each, begin, end)) {
      kept.push_back(each);
      continue;
    }
    if (each.begin < begin) kept.push_back({holder, each.kind, each.begin, begin});
    if (end < each.end) kept.push_back({holder, each.kind, end, each.end});
  }
  locks = std::move(kept);
}

// Releases the parts of a range that no holder has locked; no other is free for a moment.
void release(int file, const std::vector<Held>& locks, off_t begin, off_t end) {
  while (begin < end) {
    off_t next = end;     // Where the free part ends,
    off_t after = begin;  // or the locked one.
    for (const Held& each : locks) {
      if (each.begin <= begin && begin < each.end) after = std::max(after, each.end);
      if (each.begin > begin) next = std::min(next, each.begin);
    }
    if (after == begin) {
      struct flock lock = range(F_UNLCK, begin, next);
      ::fcntl(file, F_SETLK, &lock);
      after = next;
    }
    begin = after;
  }
}

void forget(Descriptor& file) {
  if (!file) return;
  Table& all = table();
  const std::scoped_lock hold(all.mutex);
  const auto key = all.keys.extract(file.number());
  if (key.empty()) return;  // It could not be looked at.
  const auto found = all.files.find(key.mapped());
  File& known = found->second;
  cut(known.locks, file.number(), 0, kEnd);
  release(file.number(), known.locks, 0, kEnd);
  known.closed.push_back(std::move(file));
  if (known.locks.empty()) known.closed.clear();
  if (--known.holders == 0) all.files.erase(found);
}

}  // namespace

LockedFile::LockedFile(Descriptor file) : file_(std::move(file)) {
  struct stat found {};
  if (!file_ || ::fstat(number(), &found) != 0) return;
  Table& all = table();
  const std::scoped_lock hold(all.mutex);
  const Key key{found.st_dev, found.st_ino};
  all.keys.insert_or_assign(number(), key);
  ++all.files[key].holders;
}

LockedFile::LockedFile(LockedFile&& other) noexcept = default;

LockedFile& LockedFile::operator=(LockedFile&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

LockedFile::~LockedFile() { forget(file_); }

LockedFile::Answer LockedFile::try_lock(Kind kind, off_t start, off_t length) {
  Table& all = table();
  const std::scoped_lock hold(all.mutex);
  const auto key = all.keys.find(number());
  if (key == all.keys.end()) {
    errno = EBADF;
    return Answer::failed;
  }
  File& known = all.files.at(key->second);
  const off_t end = end_of(start, length);
  const bool is_taken = std::any_of(known.locks.begin(), known.locks.end(), [&](const Held& each) {
    return each.holder != number() && meets(each, start, end) &&
           (kind == Kind::write || each.kind == Kind::write);
  });
  if (is_taken) return Answer::taken;
  // Other holders here can only have read locks in the range, which then this one is, too.
  struct flock lock = range(kind == Kind::read ? F_RDLCK : F_WRLCK, start, end);
  if (::fcntl(number(), F_SETLK, &lock) != 0) {
    return errno == EAGAIN || errno == EACCES ? Answer::taken : Answer::failed;
  }
  cut(known.locks, number(), start, end);
  known.locks.push_back({number(), kind, start, end});
  return Answer::granted;
}

void LockedFile::unlock(off_t start, off_t length) {
  Table& all = table();
  const std::scoped_lock hold(all.mutex);
  const auto key = all.keys.find(number());
  if (key == all.keys.end()) return;
  File& known = all.files.at(key->second);
  const off_t end = end_of(start, length);
  cut(known.locks, number(), start, end);
  release(number(), known.locks, start, end);
  if (known.locks.empty()) known.closed.clear();
}

bool LockedFile::is_locked_from(off_t start) const {
  Table& all = table();
  const std::scoped_lock hold(all.mutex);
  const auto key = all.keys.find(number());
  if (key == all.keys.end()) return true;
  const File& known = all.files.at(key->second);
  const bool is_here = std::any_of(known.locks.begin(), known.locks.end(), [&](const Held& each) {
    return each.holder != number() && meets(each, start, kEnd);
  });
  struct flock lock = range(F_WRLCK, start, kEnd);
  return is_here || ::fcntl(number(), F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

}  // namespace spoor::os
