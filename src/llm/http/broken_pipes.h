#pragma once

#include <csignal>

namespace spoor::llm::http {

/// While it lives, writing to a connection that the other side has closed does not end the process:
/// SIGPIPE is held back on this thread, and one that came meanwhile is dropped. A library may write
/// in ways that raise it.
class BrokenPipesHeldBack {
 public:
  BrokenPipesHeldBack();
  ~BrokenPipesHeldBack();
  BrokenPipesHeldBack(const BrokenPipesHeldBack&) = delete;
  BrokenPipesHeldBack& operator=(const BrokenPipesHeldBack&) = delete;

  /// While this lives, the thread is as it was before: for calls back into our own code, whose
  /// broken pipes mean what they always do.
  class Pause {
   public:
    explicit Pause(BrokenPipesHeldBack& held) : held_(held) { held_.release(); }
    ~Pause() { held_.hold(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    BrokenPipesHeldBack& held_;
  };

 private:
  void hold();
  void release();

  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace spoor::llm::http
