#pragma once

#include <chrono>
#include <stop_token>
#include <thread>

#include "cli/terminal/interrupt.h"

namespace spoor::cli {

/// While it lives, passes Ctrl-C on to waiting work, as a stop request.
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
  std::jthread watcher_;  // Last, so that it ends before the members it uses.
};

}  // namespace spoor::cli
