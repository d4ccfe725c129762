#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace spoor::agent {

/// A stop that is requested when another one is, or after a time.
class TimedStop {
 public:
  /// A `timeout` of 0 means no limit.
  TimedStop(const std::stop_token& outer, std::chrono::milliseconds timeout)
      : relay_(outer, Relay{&source_}) {
    if (timeout.count() > 0) {
      timer_ = std::jthread([this, timeout](const std::stop_token& done) {
        std::unique_lock lock(mutex_);
        const auto is_done = [&] { return done.stop_requested(); };
        if (!over_.wait_for(lock, done, timeout, is_done)) source_.request_stop();
      });
    }
  }

  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Relay {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::stop_callback<Relay> relay_;
  std::jthread timer_;  // Last, so that it ends before the members it uses.
};

}  // namespace spoor::agent
