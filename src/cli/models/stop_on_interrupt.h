#pragma once

#include <chrono>
#include <stop_token>
#include <thread>

#include "cli/terminal/interrupt.h"

namespace spoor::cli {

/// Hands Ctrl-C on, while it lives, to work that waits for something.
class StopOnInterrupt {
 public:
  StopOnInterrupt()
      : watcher_([this](const std::stop_token& done) {
          using namespace std::chrono_literals;
          while (!done.stop_requested()) {
            if (is_interrupted()) {
              source_.request_stop();
              return;
            }
            std::this_thread::sleep_for(20ms);
          }
        }) {}

  std::stop_token token() const { return source_.get_token(); }

 private:
  Cancellable cancellable_;
  std::stop_source source_;
  std::jthread watcher_;  // Last: it ends before what it looks at.
};

}  // namespace spoor::cli
