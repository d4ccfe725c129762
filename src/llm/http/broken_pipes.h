#pragma once

#include <csignal>

namespace spoor::llm::http {

/// Blocks SIGPIPE on this thread during its lifetime and discards one that was raised meanwhile, so
/// that a write to a connection closed by the other side does not end the process. A library may
/// write in ways that raise SIGPIPE.
class BrokenPipesHeldBack {
 public:
  BrokenPipesHeldBack();
  ~BrokenPipesHeldBack();
  BrokenPipesHeldBack(const BrokenPipesHeldBack&) = delete;
  BrokenPipesHeldBack& operator=(const BrokenPipesHeldBack&) = delete;

  /// Restores the thread's previous signal state during its lifetime. For callbacks into our own
  /// code, which must get SIGPIPE as usual.
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
