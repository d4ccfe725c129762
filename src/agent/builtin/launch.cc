#include "agent/builtin/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/os/descriptors.h"
#include "base/os/pipe.h"
#include "base/os/process.h"

namespace spoor::agent::builtin {
namespace {

constexpr int kStandardFiles = 3;

[[noreturn]] void give_up(const Launch& plan, Trouble trouble) {
  const ssize_t told = ::write(plan.report, &trouble, sizeof trouble);
  ::_exit(told == sizeof trouble ? 127 : 126);
}

// Makes the child die with its parent. Exits if the parent is already dead: nothing reads the
// report.
void end_with_parent(const Launch& plan) {
  os::die_with_parent();
  ::close(plan.report_reader);
  pollfd report{plan.report, 0, 0};
  if (::poll(&report, 1, 0) > 0 && (report.revents & POLLERR) != 0) ::_exit(126);
}

void forget_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Enters the working folder. With namespaces by path: a descriptor would bypass the mounts.
int go_to_folder(const Launch& plan) {
  if (!plan.has_namespaces()) return ::fchdir(plan.folder) == 0 ? 0 : errno;
  struct stat found {};
  if (::chdir(plan.folder_path.c_str()) != 0 || ::stat(".", &found) != 0) return errno;
  const bool is_it = found.st_dev == plan.folder_is.st_dev && found.st_ino == plan.folder_is.st_ino;
  return is_it ? 0 : ESTALE;
}

[[noreturn]] void become(const Launch& plan) {
  if (!plan.has_namespaces()) ::setsid();
  end_with_parent(plan);
  forget_signals();
  if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.errors, STDERR_FILENO) < 0) {
    give_up(plan, {Trouble::With::program, errno});
  }
  if (const int problem = go_to_folder(plan)) give_up(plan, {Trouble::With::program, problem});
  // Sets O_CLOEXEC on files that other code opened without it. Older kernels cannot.
  os::close_on_exec_from(kStandardFiles);
  if (plan.jail != nullptr) {
    if (const int problem = plan.jail->confine()) give_up(plan, {Trouble::With::jail, problem});
  }
  Trouble trouble{Trouble::With::program, ENOENT};
  for (char* const* program = plan.programs.data(); *program != nullptr; ++program) {
    ::execve(*program, plan.argv.data(), plan.environment.data());
    if (errno == ENOENT || errno == ENOTDIR) continue;
    trouble.problem = errno;
    if (errno != EACCES) break;
  }
  give_up(plan, trouble);
}

// Runs as the first process of a PID namespace: starts the command, reports its status, and reaps
// its children. When it ends, all others end. Signals from within do not reach it.
[[noreturn]] void be_first(const Launch& plan) {
  ::setsid();
  end_with_parent(plan);
  forget_signals();
  if (const int problem = plan.jail->enter()) give_up(plan, {Trouble::With::jail, problem});
  const pid_t command = clone_process(0);
  if (command == 0) become(plan);
  if (command < 0) give_up(plan, {Trouble::With::jail, errno});
  // The command's output and report must be closed when it ends.
  ::dup2(plan.status, STDIN_FILENO);
  os::close_from(STDOUT_FILENO);
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) ::_exit(0);
    if (ended != command) continue;
    if (::write(STDIN_FILENO, &status, sizeof status) != sizeof status) ::_exit(1);
  }
}

}  // namespace

Error cannot(std::string_view what, int problem) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(problem)));
}

Result<Descriptor> above_standard(Descriptor descriptor) {
  if (descriptor.number() >= kStandardFiles) return descriptor;
  Descriptor higher(::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, kStandardFiles));
  if (!higher) return cannot("open a file", errno);
  return higher;
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (os::make_pipe(ends.data()) != 0) return cannot("make a pipe", errno);
  Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  Pipe pipe;
  pipe.out = TRY(above_standard(std::move(out)));
  pipe.in = TRY(above_standard(std::move(in)));
  return pipe;
}

Result<Pipe> make_output() {
  Pipe pipe = TRY(make_pipe());
  if (::fcntl(pipe.out.number(), F_SETFL, O_NONBLOCK) != 0) return cannot("use a pipe", errno);
  return pipe;
}

pid_t launch(const Launch& plan) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = plan.has_namespaces() ? clone_process(plan.jail->flags()) : ::fork();
  if (child == 0 && plan.has_namespaces()) be_first(plan);
  if (child == 0) become(plan);
  const int problem = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = problem;
  return child;
}

}  // namespace spoor::agent::builtin
