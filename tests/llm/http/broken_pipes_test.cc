#include "llm/http/broken_pipes.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cerrno>

using spoor::llm::http::BrokenPipesHeldBack;

namespace {

bool is_blocked() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, SIGPIPE) == 1;
}

/// Writes to a pipe that nobody reads.
int write_to_nobody() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  ::close(ends[0]);
  const ssize_t written = ::write(ends[1], "x", 1);
  const int problem = written < 0 ? errno : 0;
  ::close(ends[1]);
  return problem;
}

}  // namespace

TEST_SUITE("llm/http/broken_pipes") {
  TEST_CASE("a broken pipe is an error and not the end of the process, and is gone afterwards") {
    REQUIRE_FALSE(is_blocked());
    {
      const BrokenPipesHeldBack held;
      CHECK(write_to_nobody() == EPIPE);
    }
    CHECK_FALSE(is_blocked());  // Still alive: nothing was left to be delivered.
  }

  TEST_CASE("a call back into our own code sees the thread as it was") {
    BrokenPipesHeldBack held;
    CHECK(write_to_nobody() == EPIPE);
    {
      const BrokenPipesHeldBack::Pause pause(held);
      CHECK_FALSE(is_blocked());
    }
    CHECK(is_blocked());
    CHECK(write_to_nobody() == EPIPE);
  }

  TEST_CASE("what was blocked before stays blocked") {
    const BrokenPipesHeldBack outer;
    { const BrokenPipesHeldBack inner; }
    CHECK(is_blocked());
  }
}
