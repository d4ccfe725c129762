#include "agent/builtin/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
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

#include "agent/builtin/launch.h"
#include "agent/builtin/root.h"
#include "agent/builtin/sandbox.h"
#include "base/descriptor.h"
#include "base/os/descriptors.h"

namespace spoor::agent::builtin {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kBlock = 1U << 16U;
constexpr milliseconds kLook{10};  // How often to check the process and the deadline.
constexpr int kMostLeft = 64;      // Blocks read after the end.
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

// One of the files that a program prints to.
struct Stream {
  Descriptor pipe;  // Closed at its end.
  const std::function<void(std::string_view)>* sink;

  // Returns true if there were bytes.
  bool read(std::vector<char>& block) {
    const ssize_t count = ::read(pipe.number(), block.data(), block.size());
    if (count > 0) {
      if (*sink) (*sink)(std::string_view(block.data(), static_cast<std::size_t>(count)));
      return true;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) pipe.close();
    return false;
  }
};

// Both files of a program; the second has no pipe if errors are part of the output.
struct Streams {
  std::array<Stream, 2> all;
  std::vector<char> block = std::vector<char>(kBlock);

  bool is_open() const { return all[0].pipe || all[1].pipe; }

  // Waits at most kLook for bytes. Returns true if there were some.
  bool read(milliseconds wait) {
    std::array<pollfd, 2> wanted{};
    for (std::size_t i = 0; i < all.size(); ++i) wanted[i] = {all[i].pipe.number(), POLLIN, 0};
    if (::poll(wanted.data(), wanted.size(), static_cast<int>(wait.count())) <= 0) return false;
    bool is_any = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (wanted[i].revents != 0) is_any = all[i].read(block) || is_any;
    }
    return is_any;
  }
};

// Reads the command's output until it has ended, and ends it at the deadline.
Result<void> attend(Child& child, Streams& streams, const Deadline& deadline, Ended& ended) {
  milliseconds pause{1};
  std::optional<Clock::time_point> terminated;
  std::optional<Clock::time_point> exited;
  while (true) {
    if (streams.is_open()) {
      streams.read(kLook);
    } else {  // It closed its output and may still run.
      ::poll(nullptr, 0, static_cast<int>(pause.count()));
      pause = std::min(pause * 2, kLook);
    }
    const Clock::time_point now = Clock::now();
    if (!exited && TRY(child.has_ended())) exited = now;
    const bool must_end = deadline.is_stopped() || deadline.is_late();
    if (exited && (!streams.is_open() || must_end || now - *exited >= kOutputGrace)) break;
    if (!exited && !terminated && must_end) {
      ended.was_stopped = deadline.is_stopped();
      ended.was_late = !ended.was_stopped;
      child.kill(SIGTERM);
      terminated = now;
    }
    if (terminated && now - *terminated >= kTerminationGrace) child.kill(SIGKILL);
  }
  child.kill(SIGKILL);  // Processes that it left running.
  for (int i = 0; i < kMostLeft && streams.read(milliseconds(0)); ++i) {
  }
  return {};
}

}  // namespace

Result<Descriptor> memory_file(std::string_view bytes) {
  Descriptor made(os::open_in_memory("spoor"));
  if (!made) return cannot("make a file in memory", errno);
  Descriptor file = TRY(above_standard(std::move(made)));
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("write to a file in memory", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::lseek(file.number(), 0, SEEK_SET) < 0) return cannot("read a file in memory", errno);
  return file;
}

Result<Ended> run_process(const Process& process, const Deadline& deadline,
                          const ProcessEvents& events) {
  std::vector<std::string> argv = process.argv;
  std::vector<std::string> programs = candidates(process);
  std::vector<std::string> environment;
  for (const auto& [name, value] : process.environment) {
    environment.push_back(fmt::format("{}={}", name, value));
  }
  Descriptor opened(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!opened) return cannot("open /dev/null", errno);
  const Descriptor nothing = TRY(above_standard(std::move(opened)));
  Pipe output = TRY(make_output());
  Pipe errors;
  if (events.errors) errors = TRY(make_output());
  Pipe report = TRY(make_pipe());
  Pipe verdict;

  Launch plan{.argv = pointers_to(argv),
              .environment = pointers_to(environment),
              .programs = pointers_to(programs),
              .folder = process.folder,
              .input = process.input >= 0 ? process.input : nothing.number(),
              .output = output.in.number(),
              .errors = events.errors ? errors.in.number() : output.in.number(),
              .report = report.in.number(),
              .report_reader = report.out.number(),
              .status = -1,
              .jail = process.jail,
              .folder_path = {},
              .folder_is = {}};
  if (plan.has_namespaces()) {
    verdict = TRY(make_output());
    plan.status = verdict.in.number();
    if (::fstat(process.folder, &plan.folder_is) != 0) return cannot("look at the folder", errno);
    plan.folder_path = TRY(path_of(process.folder));
  }
  const Clock::time_point start = Clock::now();
  const pid_t id = launch(plan);
  if (id < 0) return cannot("start a process", errno);
  Child child(id, std::move(verdict.out));
  output.in.close();
  errors.in.close();
  report.in.close();
  verdict.in.close();
  Trouble trouble;
  ssize_t told = -1;
  do {
    told = ::read(report.out.number(), &trouble, sizeof trouble);
  } while (told < 0 && errno == EINTR);
  if (told == sizeof trouble) return cannot_start(process.argv.front(), trouble);

  if (events.started) events.started();
  Ended ended;
  Streams streams{{Stream{std::move(output.out), &events.output},
                   Stream{std::move(errors.out), &events.errors}}};
  TRY(attend(child, streams, deadline, ended));
  const int status = child.reap();
  ended.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

}  // namespace spoor::agent::builtin
