#include "agent/builtin/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "agent/builtin/descriptor.h"

namespace spoor::agent::builtin {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kBlock = 1U << 16U;
constexpr milliseconds kLook{10};  // How often we look whether it ended, or has to.
constexpr int kMostLeft = 64;      // Blocks that are read after the end.
constexpr int kStandardFiles = 3;
constexpr unsigned kCloseOnExec = 1U << 2U;  // CLOSE_RANGE_CLOEXEC, Linux 5.11

Error cannot(std::string_view what, int problem) {
  return store::io_error(fmt::format("cannot {}: {}", what, std::strerror(problem)));
}

// Descriptors beyond the standard ones, so that none of them is overwritten in the child.
Result<Descriptor> above_standard(Descriptor descriptor) {
  if (descriptor.number() >= kStandardFiles) return descriptor;
  Descriptor higher(::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, kStandardFiles));
  if (!higher) return cannot("open a file", errno);
  return higher;
}

struct Pipe {
  Descriptor out;  // To read from.
  Descriptor in;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return cannot("make a pipe", errno);
  Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  Pipe pipe;
  pipe.out = TRY(above_standard(std::move(out)));
  pipe.in = TRY(above_standard(std::move(in)));
  return pipe;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Where a program may lie. An empty part of PATH is the folder that it runs in.
std::vector<std::string> candidates(const Process& process) {
  const std::string& name = process.argv.front();
  if (name.find('/') != std::string::npos) return {name};
  std::string_view path;
  for (const auto& [variable, value] : process.environment) {
    if (variable == "PATH") path = value;
  }
  std::vector<std::string> all;
  while (true) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string_view folder = path.substr(0, end);
    all.push_back(folder.empty() ? "./" + name : fmt::format("{}/{}", folder, name));
    if (end == path.size()) return all;
    path.remove_prefix(end + 1);
  }
}

// All that the child needs, made before there is one: between fork and exec nothing may be
// allocated, for another thread may hold the allocator's lock.
struct Plan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<char*> programs;
  int folder;
  int input;  // /dev/null, or what it is given.
  int output;
  int errors;
  int report;  // Where it says why it could not start: an errno.
  pid_t parent;
};

[[noreturn]] void become(const Plan& plan) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  int problem = ENOENT;
  if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.errors, STDERR_FILENO) < 0 || ::fchdir(plan.folder) != 0) {
    problem = errno;
  } else if (::getppid() == plan.parent) {  // Else it died before it could be our death's cause.
    // Files that somebody else in this process opened without O_CLOEXEC. Older kernels cannot.
    ::syscall(SYS_close_range, static_cast<unsigned>(kStandardFiles), UINT_MAX, kCloseOnExec);
    for (char* const* program = plan.programs.data(); *program != nullptr; ++program) {
      ::execve(*program, plan.argv.data(), plan.environment.data());
      if (errno == ENOENT || errno == ENOTDIR) continue;
      problem = errno;
      if (errno != EACCES) break;
    }
  }
  const ssize_t told = ::write(plan.report, &problem, sizeof problem);
  ::_exit(told == sizeof problem ? 127 : 126);
}

// A fork during which no handler of ours runs, so that none runs in the child.
pid_t fork_quietly(const Plan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  if (child == 0) become(plan);
  const int problem = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = problem;
  return child;
}

Error cannot_start(const std::string& name, int problem) {
  const std::string message = fmt::format("cannot run '{}': {}", name, std::strerror(problem));
  switch (problem) {
    case ENOENT:
    case ENOTDIR:
      return store::not_found(message,
                              "'argv' is a program and its arguments; no shell reads them");
    case ENOEXEC:
      return store::denied(message, "it is no program: name its interpreter first");
    case EACCES:
    case EPERM:
      return store::denied(message);
    case E2BIG:
      return store::invalid(message);
    default:
      return store::io_error(message);
  }
}

// A child that is not waited for yet. While it is not, its number is nobody else's, and neither is
// that of its group.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ > 0) {
      kill(SIGKILL);
      reap();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill(int signal) const { ::kill(-id_, signal); }

  Result<bool> has_ended() const {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno == EINTR) return false;
      return cannot("wait for the command", errno);
    }
    return info.si_pid == id_;
  }

  int reap() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }

 private:
  pid_t id_;
};

enum class Read { bytes, nothing, end };

Read read_block(const Descriptor& output, std::vector<char>& block,
                const std::function<void(std::string_view)>& sink) {
  const ssize_t count = ::read(output.number(), block.data(), block.size());
  if (count > 0) {
    sink(std::string_view(block.data(), static_cast<std::size_t>(count)));
    return Read::bytes;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Read::nothing;
  return Read::end;
}

// Takes what it prints until it has ended, and ends it when it must.
Result<void> attend(const Child& child, const Descriptor& output, const Deadline& deadline,
                    const std::function<void(std::string_view)>& sink, Ended& ended) {
  std::vector<char> block(kBlock);
  bool is_open = true;
  milliseconds pause{1};
  std::optional<Clock::time_point> terminated;
  std::optional<Clock::time_point> exited;
  while (true) {
    if (is_open) {
      pollfd wanted{output.number(), POLLIN, 0};
      if (::poll(&wanted, 1, static_cast<int>(kLook.count())) > 0) {
        is_open = read_block(output, block, sink) != Read::end;
      }
    } else {  // It closed its output: it is about to end, or goes on in silence.
      ::poll(nullptr, 0, static_cast<int>(pause.count()));
      pause = std::min(pause * 2, kLook);
    }
    const Clock::time_point now = Clock::now();
    if (!exited && TRY(child.has_ended())) exited = now;
    const bool must_end = deadline.is_stopped() || deadline.is_late();
    if (exited && (!is_open || must_end || now - *exited >= kOutputGrace)) break;
    if (!exited && !terminated && must_end) {
      ended.was_stopped = deadline.is_stopped();
      ended.was_late = !ended.was_stopped;
      child.kill(SIGTERM);
      terminated = now;
    }
    if (terminated && now - *terminated >= kTerminationGrace) child.kill(SIGKILL);
  }
  child.kill(SIGKILL);  // What it left behind.
  for (int i = 0; is_open && i < kMostLeft; ++i) {
    is_open = read_block(output, block, sink) == Read::bytes;
  }
  return {};
}

}  // namespace

Result<Ended> run_process(const Process& process, const Deadline& deadline,
                          const std::function<void(std::string_view)>& sink) {
  std::vector<std::string> argv = process.argv;
  std::vector<std::string> programs = candidates(process);
  std::vector<std::string> environment;
  for (const auto& [name, value] : process.environment) {
    environment.push_back(fmt::format("{}={}", name, value));
  }
  Descriptor opened(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!opened) return cannot("open /dev/null", errno);
  const Descriptor nothing = TRY(above_standard(std::move(opened)));
  Pipe output = TRY(make_pipe());
  Pipe report = TRY(make_pipe());
  if (::fcntl(output.out.number(), F_SETFL, O_NONBLOCK) != 0) return cannot("use a pipe", errno);

  const Plan plan{pointers_to(argv),
                  pointers_to(environment),
                  pointers_to(programs),
                  process.folder,
                  process.input >= 0 ? process.input : nothing.number(),
                  output.in.number(),
                  process.errors >= 0 ? process.errors : output.in.number(),
                  report.in.number(),
                  ::getpid()};
  const Clock::time_point start = Clock::now();
  const pid_t id = fork_quietly(plan);
  if (id < 0) return cannot("start a process", errno);
  Child child(id);
  output.in.close();
  report.in.close();
  int problem = 0;
  ssize_t told = -1;
  do {
    told = ::read(report.out.number(), &problem, sizeof problem);
  } while (told < 0 && errno == EINTR);
  if (told == sizeof problem) return cannot_start(process.argv.front(), problem);

  Ended ended;
  TRY(attend(child, output.out, deadline, sink, ended));
  const int status = child.reap();
  ended.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

}  // namespace spoor::agent::builtin
