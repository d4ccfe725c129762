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

/// Within its life Ctrl-C cancels the work instead of the process. The work itself
/// asks is_interrupted(), and may still say what it made.
class Cancellable {
 public:
  Cancellable();
  ~Cancellable();
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;
};

/// Within its life Ctrl-C never ends the process, however often it is pressed: the
/// interactive session outlives every command.
class OutlivesInterrupts {
 public:
  OutlivesInterrupts();
  ~OutlivesInterrupts();
  OutlivesInterrupts(const OutlivesInterrupts&) = delete;
  OutlivesInterrupts& operator=(const OutlivesInterrupts&) = delete;
};

/// Ctrl-C was answered: by whoever was cancelled, or by the pager it was meant for.
void forget_interrupt();

/// Has whoever looks had enough? True in an interactive session after Ctrl-C, but
/// while Cancellable work speaks for itself: output then stops, a listing that asks
/// Output::is_closed() ends, and so does whatever reads the store (Repository::Options).
bool is_output_cancelled();

}  // namespace spoor::cli
