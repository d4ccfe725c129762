#include "agent/builtin/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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

#include "agent/builtin/root.h"
#include "agent/builtin/sandbox.h"
#include "base/descriptor.h"

namespace spoor::agent::builtin {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kBlock = 1U << 16U;
constexpr milliseconds kLook{10};  // How often to check the process and the deadline.
constexpr int kMostLeft = 64;      // Blocks read after the end.
constexpr int kStandardFiles = 3;
constexpr unsigned kCloseOnExec = 1U << 2U;  // CLOSE_RANGE_CLOEXEC, Linux 5.11

Error cannot(std::string_view what, int problem) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(problem)));
}

// Returns a descriptor above the standard ones, so that the child does not overwrite it.
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

// Returns the paths to try. An empty part of PATH is the current folder.
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

// Everything that the child needs, made before the fork: between fork and exec nothing may be
// allocated, since another thread may hold the allocator's lock.
struct Plan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<char*> programs;
  int folder;
  int input;  // /dev/null, or the given file.
  int output;
  int errors;
  int report;  // Receives a Trouble if it cannot start.
  int report_reader;
  int status;        // Receives the command's status from a namespace's first process; -1: none.
  const Jail* jail;  // Null: not confined.
  std::string folder_path;  // The path of `folder`, to enter it inside the jail's own tree.
  struct stat folder_is;
};

// The reason why a command could not be started.
struct Trouble {
  enum class With : int { program, jail };
  With with = With::program;
  int problem = 0;
};

bool has_namespaces(const Plan& plan) { return plan.jail != nullptr && plan.jail->flags() != 0; }

[[noreturn]] void give_up(const Plan& plan, Trouble trouble) {
  const ssize_t told = ::write(plan.report, &trouble, sizeof trouble);
  ::_exit(told == sizeof trouble ? 127 : 126);
}

// Makes the child die with its parent. Exits if the parent is already dead: nothing reads the
// report.
void die_with_parent(const Plan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::close(plan.report_reader);
  pollfd report{plan.report, 0, 0};
  if (::poll(&report, 1, 0) > 0 && (report.revents & POLLERR) != 0) ::_exit(126);
}

void forget_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Enters the working folder. With namespaces by path: a descriptor would bypass the mounts.
int go_to_folder(const Plan& plan) {
  if (!has_namespaces(plan)) return ::fchdir(plan.folder) == 0 ? 0 : errno;
  struct stat found {};
  if (::chdir(plan.folder_path.c_str()) != 0 || ::stat(".", &found) != 0) return errno;
  const bool is_it = found.st_dev == plan.folder_is.st_dev && found.st_ino == plan.folder_is.st_ino;
  return is_it ? 0 : ESTALE;
}

[[noreturn]] void become(const Plan& plan) {
  if (!has_namespaces(plan)) ::setsid();
  die_with_parent(plan);
  forget_signals();
  if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.errors, STDERR_FILENO) < 0) {
    give_up(plan, {Trouble::With::program, errno});
  }
  if (const int problem = go_to_folder(plan)) give_up(plan, {Trouble::With::program, problem});
  // Sets O_CLOEXEC on files that other code opened without it. Older kernels cannot.
  ::syscall(SYS_close_range, static_cast<unsigned>(kStandardFiles), UINT_MAX, kCloseOnExec);
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
[[noreturn]] void be_first(const Plan& plan) {
  ::setsid();
  die_with_parent(plan);
  forget_signals();
  if (const int problem = plan.jail->enter()) give_up(plan, {Trouble::With::jail, problem});
  const pid_t command = clone_process(0);
  if (command == 0) become(plan);
  if (command < 0) give_up(plan, {Trouble::With::jail, errno});
  // The command's output and report must be closed when it ends.
  ::dup2(plan.status, STDIN_FILENO);
  ::syscall(SYS_close_range, static_cast<unsigned>(STDOUT_FILENO), UINT_MAX, 0U);
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) ::_exit(0);
    if (ended != command) continue;
    if (::write(STDIN_FILENO, &status, sizeof status) != sizeof status) ::_exit(1);
  }
}

// Forks with signals blocked, so that none of our handlers runs in the child.
pid_t fork_quietly(const Plan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = has_namespaces(plan) ? clone_process(plan.jail->flags()) : ::fork();
  if (child == 0 && has_namespaces(plan)) be_first(plan);
  if (child == 0) become(plan);
  const int problem = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = problem;
  return child;
}

Error cannot_start(const std::string& name, const Trouble& trouble) {
  if (trouble.with == Trouble::With::jail) return cannot("confine the command", trouble.problem);
  const std::string message =
      fmt::format("cannot run '{}': {}", name, std::strerror(trouble.problem));
  switch (trouble.problem) {
    case ENOENT:
    case ENOTDIR:
      return not_found(message, "'argv' is a program and its arguments; no shell reads them");
    case ENOEXEC:
      return denied(message, "it is no program: name its interpreter first");
    case EACCES:
    case EPERM:
      return denied(message);
    case E2BIG:
      return invalid(message);
    default:
      return io_error(message);
  }
}

// A child process that is not yet waited for, so its id and its group's cannot be reused.
class Child {
 public:
  // `status`: where a namespace's first process reports the status; none: no such process.
  Child(pid_t id, Descriptor status) : id_(id), status_(std::move(status)) {}
  ~Child() {
    if (id_ > 0) {
      kill(SIGKILL);
      reap();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill(int signal) const { ::kill(-id_, signal); }

  Result<bool> has_ended() {
    if (is_told()) return true;
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
    return is_told() ? *told_ : status;
  }

 private:
  bool is_told() {
    int told = 0;
    if (!told_ && status_ && ::read(status_.number(), &told, sizeof told) == sizeof told) {
      told_ = told;
    }
    return told_.has_value();
  }

  pid_t id_;
  Descriptor status_;
  std::optional<int> told_;
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

// Reads the command's output until it has ended, and ends it at the deadline.
Result<void> attend(Child& child, const Descriptor& output, const Deadline& deadline,
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
    } else {  // It closed its output and may still run.
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
  child.kill(SIGKILL);  // Processes that it left running.
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
  Pipe verdict;
  if (::fcntl(output.out.number(), F_SETFL, O_NONBLOCK) != 0) return cannot("use a pipe", errno);

  Plan plan{.argv = pointers_to(argv),
            .environment = pointers_to(environment),
            .programs = pointers_to(programs),
            .folder = process.folder,
            .input = process.input >= 0 ? process.input : nothing.number(),
            .output = output.in.number(),
            .errors = process.errors >= 0 ? process.errors : output.in.number(),
            .report = report.in.number(),
            .report_reader = report.out.number(),
            .status = -1,
            .jail = process.jail,
            .folder_path = {},
            .folder_is = {}};
  if (has_namespaces(plan)) {
    verdict = TRY(make_pipe());
    if (::fcntl(verdict.out.number(), F_SETFL, O_NONBLOCK) != 0) return cannot("use a pipe", errno);
    plan.status = verdict.in.number();
    if (::fstat(process.folder, &plan.folder_is) != 0) return cannot("look at the folder", errno);
    plan.folder_path = TRY(path_of(process.folder));
  }
  const Clock::time_point start = Clock::now();
  const pid_t id = fork_quietly(plan);
  if (id < 0) return cannot("start a process", errno);
  Child child(id, std::move(verdict.out));
  output.in.close();
  report.in.close();
  verdict.in.close();
  Trouble trouble;
  ssize_t told = -1;
  do {
    told = ::read(report.out.number(), &trouble, sizeof trouble);
  } while (told < 0 && errno == EINTR);
  if (told == sizeof trouble) return cannot_start(process.argv.front(), trouble);

  Ended ended;
  TRY(attend(child, output.out, deadline, sink, ended));
  const int status = child.reap();
  ended.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

}  // namespace spoor::agent::builtin
