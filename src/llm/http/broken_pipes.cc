#include "llm/http/broken_pipes.h"

#include "base/os/signals.h"

namespace spoor::llm::http {
namespace {

sigset_t only_broken_pipes() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool is_pending() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

BrokenPipesHeldBack::BrokenPipesHeldBack() { hold(); }

BrokenPipesHeldBack::~BrokenPipesHeldBack() { release(); }

void BrokenPipesHeldBack::hold() {
  was_pending_ = is_pending();
  const sigset_t set = only_broken_pipes();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

void BrokenPipesHeldBack::release() {
  if (!was_pending_) {
    const sigset_t set = only_broken_pipes();
    while (os::take_signal(set, std::chrono::nanoseconds(0)) == SIGPIPE) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace spoor::llm::http
