#pragma once

#include <atomic>

namespace spoor::cli {

/// Makes Ctrl-C (SIGINT) end the process at once with status 130, except while
/// somebody asked to keep running: then it only sets a flag, and a second Ctrl-C
/// ends the process. Called once, by main().
void install_interrupt_handler();

/// Was Ctrl-C pressed while running on? Long work asks this between its steps
/// and answers Code::interrupted, keeping what it made.
bool is_interrupted();

/// The flag behind is_interrupted(), for work that polls a flag of its caller's.
const std::atomic<bool>& interrupt_flag();

/// True adds one who wants to run on, false takes one away. With the last one
/// the flag is cleared.
void keep_running_on_interrupt(bool keep);

/// Within its life Ctrl-C cancels the work instead of the process.
class Cancellable {
 public:
  Cancellable() { keep_running_on_interrupt(true); }
  ~Cancellable() { keep_running_on_interrupt(false); }
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;
};

}  // namespace spoor::cli
