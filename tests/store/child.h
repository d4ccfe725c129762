#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <new>
#include <stdexcept>
#include <utility>

namespace spoor::store {

/// A process of its own that runs `work` and exits with what it answers. Killed,
/// and waited for, when this goes. Start it while the test has one thread and no
/// store open.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : id_(fork()) {
    if (id_ < 0) throw std::runtime_error("no new process");
    if (id_ == 0) {
      int code = 99;
      try {
        code = work();
      } catch (...) {  // A test's check threw: the exit code tells.
      }
      _exit(code);
    }
  }
  ~Child() {
    if (id_ > 0) kill();
  }
  Child(Child&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Child& operator=(Child&&) = delete;

  /// The exit code; negative when a signal ended it.
  int wait() {
    int status = 0;
    while (waitpid(std::exchange(id_, -1), &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  /// Ends it at once, wherever it is, and waits until it is gone.
  void kill() {
    ::kill(id_, SIGKILL);
    wait();
  }

  void signal(int number) const { ::kill(id_, number); }

 private:
  pid_t id_;
};

/// A value that this process and those it forks see alike. T must be usable by
/// several processes at once: atomics, or what is written by one only.
template <class T>
class Shared {
 public:
  Shared() {
    void* memory =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    value_ = new (memory) T();
  }
  ~Shared() { munmap(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }

 private:
  T* value_;
};

}  // namespace spoor::store
