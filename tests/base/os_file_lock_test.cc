#include "base/os/file_lock.h"

#include <optional>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/base/os_folder.h"

using namespace spoor;
using namespace spoor::os;
using Kind = LockedFile::Kind;
using Answer = LockedFile::Answer;

namespace {

LockedFile opened(const Folder& folder) {
  Descriptor file(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(file);
  return LockedFile(std::move(file));
}

// Asks another process, by fcntl() itself, whether it could lock bytes for writing.
bool is_free(const Folder& folder, off_t start, off_t length) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    ::_exit(file >= 0 && ::fcntl(file, F_SETLK, &lock) == 0 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WEXITSTATUS(status) == 0;
}

// A process that holds a lock until it is destroyed.
class Other {
 public:
  Other(const Folder& folder, short type, off_t start, off_t length) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    child_ = ::fork();
    if (child_ == 0) {
      const int file = ::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC);
      struct flock lock {};
      lock.l_type = type;
      lock.l_whence = SEEK_SET;
      lock.l_start = start;
      lock.l_len = length;
      if (file < 0 || ::fcntl(file, F_SETLK, &lock) != 0) ::_exit(1);
      (void)!::write(ready[1], "r", 1);
      while (true) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
  }
  ~Other() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

 private:
  pid_t child_ = -1;
};

}  // namespace

TEST_SUITE("base/os/file_lock") {
  TEST_CASE("two open files of one process exclude each other") {
    const Folder folder;
    LockedFile one = opened(folder);
    LockedFile two = opened(folder);
    CHECK(one.try_lock(Kind::write, 10, 5) == Answer::granted);
    CHECK(two.try_lock(Kind::write, 14, 1) == Answer::taken);
    CHECK(two.try_lock(Kind::read, 0, 0) == Answer::taken);
    CHECK(two.try_lock(Kind::write, 15, 1) == Answer::granted);
    CHECK(one.try_lock(Kind::write, 12, 1) == Answer::granted);  // Its own.
    one.unlock(10, 5);
    CHECK(two.try_lock(Kind::write, 0, 0) == Answer::granted);
    CHECK(one.try_lock(Kind::read, 1'000'000, 1) == Answer::taken);
  }

  TEST_CASE("readers share a range") {
    const Folder folder;
    LockedFile one = opened(folder);
    LockedFile two = opened(folder);
    CHECK(one.try_lock(Kind::read, 0, 10) == Answer::granted);
    CHECK(two.try_lock(Kind::read, 5, 10) == Answer::granted);
    CHECK(one.try_lock(Kind::write, 0, 10) == Answer::taken);
    CHECK(one.try_lock(Kind::write, 0, 5) == Answer::granted);
    one.unlock(0, 10);
    CHECK_FALSE(is_free(folder, 5, 1));  // Still read by the other.
    CHECK(is_free(folder, 0, 5));
    two.unlock(0, 0);
    CHECK(is_free(folder, 0, 0));
  }

  TEST_CASE("other processes are excluded, and exclude") {
    const Folder folder;
    LockedFile file = opened(folder);
    CHECK(file.try_lock(Kind::write, 100, 2) == Answer::granted);
    CHECK_FALSE(is_free(folder, 101, 1));
    CHECK(is_free(folder, 102, 0));
    {
      const Other other(folder, F_WRLCK, 200, 1);
      CHECK(file.try_lock(Kind::read, 200, 1) == Answer::taken);
      CHECK(file.is_locked_from(200));
      CHECK_FALSE(file.is_locked_from(201));
    }
    CHECK(file.try_lock(Kind::read, 200, 1) == Answer::granted);
    file.unlock(101, 1);
    CHECK(is_free(folder, 101, 1));
    CHECK_FALSE(is_free(folder, 100, 1));
  }

  TEST_CASE("a lock ends with its object, and no other one's with it") {
    const Folder folder;
    LockedFile stays = opened(folder);
    REQUIRE(stays.try_lock(Kind::write, 0, 1) == Answer::granted);
    {
      LockedFile goes = opened(folder);
      REQUIRE(goes.try_lock(Kind::write, 1, 1) == Answer::granted);
      CHECK_FALSE(is_free(folder, 1, 1));
    }
    CHECK(is_free(folder, 1, 1));
    CHECK_FALSE(is_free(folder, 0, 1));
    LockedFile moved = std::move(stays);
    CHECK_FALSE(is_free(folder, 0, 1));
    moved = LockedFile();
    CHECK(is_free(folder, 0, 1));
  }

  TEST_CASE("a child made by fork waits for its parent's lock like others") {
    const Folder folder;
    LockedFile mine = opened(folder);
    REQUIRE(mine.try_lock(Kind::write, 0, 1) == Answer::granted);
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      LockedFile file(Descriptor(::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC)));
      const bool is_taken = file.try_lock(Kind::write, 0, 1) == Answer::taken;
      (void)!::write(ready[1], "r", 1);
      for (int i = 0; is_taken && i < 5'000; ++i) {
        if (file.try_lock(Kind::write, 0, 1) == Answer::granted) ::_exit(0);
        ::usleep(1'000);
      }
      ::_exit(1);
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    mine.unlock(0, 1);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 0);
    for (const int end : ready) ::close(end);
  }

  TEST_CASE("a locked byte of another holder is found") {
    const Folder folder;
    LockedFile one = opened(folder);
    LockedFile two = opened(folder);
    REQUIRE(one.try_lock(Kind::read, 50, 1) == Answer::granted);
    CHECK_FALSE(one.is_locked_from(0));
    CHECK(two.is_locked_from(50));
    CHECK_FALSE(two.is_locked_from(51));
  }
}
