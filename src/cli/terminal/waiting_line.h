#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/terminal/progress.h"

namespace spoor::cli {

/// A progress line with the seconds that passed, kept up by a thread of its own while the caller
/// waits for something that reports nothing. Only at a terminal. Nothing else may write to the
/// terminal while it lives.
class WaitingLine {
 public:
  WaitingLine(Terminal& terminal, std::string label);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  /// Replaces the note before the seconds.
  void note(std::string text);

 private:
  void show(const std::stop_token& done);

  Progress progress_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string note_;      // Guarded by mutex_.
  std::jthread updates_;  // Last, so that it ends before the members it uses.
};

}  // namespace spoor::cli
