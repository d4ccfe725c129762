#pragma once

#include <atomic>

namespace spoor::cli {

/// Makes Ctrl-C (SIGINT) end the process at once with status 130. While keep_running_on_interrupt()
/// is in force, Ctrl-C only sets a flag, and a second Ctrl-C ends the process. Called once, by
/// main().
void install_interrupt_handler();

/// Returns true if Ctrl-C was pressed while the process kept running. Long work checks this between
/// its steps, and then returns Code::interrupted and keeps its results.
bool is_interrupted();

/// Returns the flag that is_interrupted() reads, for work that polls a flag of its caller.
const std::atomic<bool>& interrupt_flag();

/// Counts the requests to keep running: true adds one, false removes one. Clears the flag when none
/// is left.
void keep_running_on_interrupt(bool keep);

/// While it lives, Ctrl-C cancels the work, not the process. The work itself calls
/// is_interrupted(), and may still print its results.
class Cancellable {
 public:
  Cancellable();
  ~Cancellable();
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;
};

/// While it lives, Ctrl-C never ends the process, however often it is pressed, because the
/// interactive session outlives every command.
class OutlivesInterrupts {
 public:
  OutlivesInterrupts();
  ~OutlivesInterrupts();
  OutlivesInterrupts(const OutlivesInterrupts&) = delete;
  OutlivesInterrupts& operator=(const OutlivesInterrupts&) = delete;
};

/// Clears the flag after Ctrl-C was handled, by the cancelled work or by the pager.
void forget_interrupt();

/// Returns true in an interactive session after Ctrl-C, except while Cancellable work handles it.
/// Output then stops, and a listing that checks Output::is_closed() ends, as do all reads of the
/// store (Repository::Options).
bool is_output_cancelled();

}  // namespace spoor::cli
