#include <atomic>
#include <thread>

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/sqlite/connection.h"
#include "store/sqlite/fork.h"

// LLVM's allocator can hang in the child of a fork() with another thread at work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPOOR_FORKS_ALONE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SPOOR_FORKS_ALONE
#endif
#endif

namespace spoor::test {

TEST_SUITE("store/fork") {
  // SQLite's allocator has one lock for all connections, and no other thread is in the child to
  // release it.
  TEST_CASE("a child opens a database, whatever another thread did at fork()") {
    using store::sqlite::Connection;
    store::sqlite::keep_usable_after_fork();
    std::atomic<bool> is_over = false;
    std::thread other([&] {
      while (!is_over) sqlite3_free(sqlite3_malloc(16));
    });
#ifdef SPOOR_FORKS_ALONE
    is_over = true;
    other.join();
#endif
    int opened = 0;
    constexpr int kForks = 200;
    for (int i = 0; i < kForks; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(20);
        const auto made = Connection::open(":memory:", Connection::Access::create);
        ::_exit(made ? 0 : 1);
      }
      int status = -1;
      CHECK(::waitpid(child, &status, 0) == child);
      opened += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
      if (WIFSIGNALED(status)) break;  // It waited for ever.
    }
    CHECK(opened == kForks);
#ifndef SPOOR_FORKS_ALONE
    is_over = true;
    other.join();
#endif
  }
}

}  // namespace spoor::test
