#include "cli/terminal/interrupt.h"

#include <csignal>

#include <unistd.h>

#include "cli/error.h"

namespace spoor::cli {
namespace {

// A signal handler can only use globals; these are all of its state.
std::atomic<int> keepers{0};
std::atomic<int> sessions{0};
std::atomic<int> cancellables{0};
std::atomic<bool> pressed{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int /*signal*/) {
  const bool again = pressed.exchange(true);
  if (sessions > 0) return;
  if (keepers == 0 || again) ::_exit(kExitInterrupted);
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
}

bool is_interrupted() { return pressed; }

const std::atomic<bool>& interrupt_flag() { return pressed; }

void keep_running_on_interrupt(bool keep) {
  keepers += keep ? 1 : -1;
  if (keepers == 0 && sessions == 0) pressed = false;
}

Cancellable::Cancellable() {
  ++cancellables;
  keep_running_on_interrupt(true);
}

Cancellable::~Cancellable() {
  --cancellables;
  keep_running_on_interrupt(false);
}

OutlivesInterrupts::OutlivesInterrupts() { ++sessions; }

OutlivesInterrupts::~OutlivesInterrupts() {
  --sessions;
  forget_interrupt();
}

void forget_interrupt() { pressed = false; }

bool is_output_cancelled() { return sessions > 0 && cancellables == 0 && pressed; }

}  // namespace spoor::cli
