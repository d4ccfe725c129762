#include "cli/terminal/system_terminal.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/pipe.h"
#include "base/os/variables.h"
#include "cli/recording/child.h"
#include "cli/terminal/interrupt.h"

namespace spoor::cli {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kDefaultHeight = 24;

// As git does for less: quit if the text fits one screen, keep colours, leave the text on the
// screen. The user's own settings win.
std::vector<std::string> pager_environment() {
  std::vector<std::string> variables;
  for (char** next = os::variables(); next != nullptr && *next != nullptr; ++next) {
    variables.emplace_back(*next);
  }
  if (std::getenv("LESS") == nullptr) variables.emplace_back("LESS=FRX");
  if (std::getenv("LV") == nullptr) variables.emplace_back("LV=-c");
  return variables;
}

// The shell reports a missing command, and cat then shows the text. The shell runs as long as the
// pager, so Ctrl-C, which is for the pager, must not end it.
std::string pager_script(const std::string& command) {
  return "trap : INT; " + command + "\n[ $? -ne 127 ] || cat\n";
}

}  // namespace

SystemTerminal::SystemTerminal()
    : output_is_tty_(::isatty(STDOUT_FILENO) == 1),
      errors_are_tty_(::isatty(STDERR_FILENO) == 1),
      output_(STDOUT_FILENO) {
  // write() reports a broken pipe; it must not end the process, since an interactive session
  // outlives its pager.
  std::signal(SIGPIPE, SIG_IGN);
}

SystemTerminal::~SystemTerminal() { static_cast<void>(finish()); }

bool SystemTerminal::write(Stream stream, std::string_view bytes) {
  if (stream == Stream::out && !wanted_pager_.empty()) spawn_pager();
  const int fd = stream == Stream::out ? output_ : STDERR_FILENO;
  while (!bytes.empty()) {
    if (stream == Stream::out && is_output_cancelled()) return false;
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno != EPIPE && stream == Stream::out && write_error_ == 0) write_error_ = errno;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<std::size_t> SystemTerminal::read(std::span<char> buffer) {
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) {
      return io_error(std::string("cannot read standard input: ") + std::strerror(errno));
    }
    if (is_interrupted()) return interrupted("interrupted");
  }
}

bool SystemTerminal::is_tty(Stream stream) const {
  return stream == Stream::out ? output_is_tty_ : errors_are_tty_;
}

bool SystemTerminal::input_is_tty() const { return ::isatty(STDIN_FILENO) == 1; }

int SystemTerminal::width() const {
  winsize size{};
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  return given > 0 ? given : kDefaultWidth;
}

int SystemTerminal::height() const {
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return is_known ? size.ws_row : kDefaultHeight;
}

void SystemTerminal::start_pager(const std::string& command) { wanted_pager_ = command; }

void SystemTerminal::spawn_pager() {
  std::string command;
  command.swap(wanted_pager_);
  int ends[2];
  if (os::make_pipe(ends) != 0) return;

  const auto pid = start_program({"/bin/sh", "-c", pager_script(command)}, pager_environment(),
                                 ends[0], STDOUT_FILENO);
  ::close(ends[0]);
  if (!pid) {
    ::close(ends[1]);
    return;
  }
  pager_pid_ = *pid;
  output_ = ends[1];
  keep_running_on_interrupt(true);  // Ctrl-C is for the pager while it is open.
}

Result<void> SystemTerminal::finish() {
  wanted_pager_.clear();
  if (pager_pid_ > 0) {
    ::close(output_);
    output_ = STDOUT_FILENO;
    int status = 0;
    while (::waitpid(pager_pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pager_pid_ = -1;
    keep_running_on_interrupt(false);
    forget_interrupt();
  }
  const int failure = write_error_;
  write_error_ = 0;
  if (failure != 0) {
    return io_error(std::string("cannot write standard output: ") + std::strerror(failure));
  }
  return {};
}

}  // namespace spoor::cli
