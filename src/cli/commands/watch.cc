#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/os/file_times.h"
#include "base/os/folder_watch.h"
#include "base/os/pipe.h"
#include "base/os/signals.h"
#include "cli/begin_head.h"
#include "cli/common_options.h"
#include "cli/recording/serving.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "import/live/watch.h"
#include "store/store.h"

namespace spoor::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::array kOptions = {
    Option{"--background", "",
           "go on without this terminal, until nothing was written for a while"},
    Option{"--stop", "", "end the one that runs"},
};

constexpr std::array kExamples = {
    Example{"spoor watch", "keep your store current, and print what comes"},
    Example{"spoor watch --background", "the same, without a terminal"},
};

constexpr std::chrono::minutes kIdle{30};         // In the background.
constexpr std::chrono::seconds kKeepTime{10};     // How often the time is noted.
constexpr std::chrono::milliseconds kGather{10};  // A record may be written in several pieces.
constexpr std::chrono::seconds kAgain{2};         // After an error of the store.

// The file that says who follows, and, by its own time, until when everything was read.
class Lock {
 public:
  static Result<Lock> open(const Environment& environment) {
    const std::string folder = TRY(require_state_home(environment));
    TRY(make_folder(folder));
    const std::string path = folder + "/watch";
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file) {
      return io_error(fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
    }
    return Lock(std::move(file));
  }

  bool take() const { return ::flock(file_.number(), LOCK_EX | LOCK_NB) == 0; }

  // The process that has it; 0: none.
  pid_t owner() const {
    if (::flock(file_.number(), LOCK_SH | LOCK_NB) == 0) {
      ::flock(file_.number(), LOCK_UN);
      return 0;
    }
    std::array<char, 16> digits{};
    const ssize_t size = ::pread(file_.number(), digits.data(), digits.size(), 0);
    pid_t process = 0;
    std::from_chars(digits.data(), digits.data() + std::max<ssize_t>(size, 0), process);
    return process;
  }

  // When everything had been read; nullopt: never.
  std::optional<Timestamp> read_until() const {
    struct stat found {};
    if (::fstat(file_.number(), &found) != 0 || found.st_size == 0) return std::nullopt;
    const timespec time = os::written_at(found);
    return Timestamp{time.tv_sec * 1'000'000 + time.tv_nsec / 1000};
  }

  void note(Timestamp time) const {
    const std::string line = std::to_string(::getpid()) + "\n";
    (void)!::pwrite(file_.number(), line.data(), line.size(), 0);
    (void)!::ftruncate(file_.number(), static_cast<off_t>(line.size()));
    const timespec at{static_cast<time_t>(time.micros / 1'000'000),
                      static_cast<long>(time.micros % 1'000'000 * 1000)};
    const std::array<timespec, 2> both = {at, at};
    ::futimens(file_.number(), both.data());
  }

 private:
  explicit Lock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

Result<void> stop_other(Session& session) {
  const Lock lock = TRY(Lock::open(session.environment()));
  const pid_t process = lock.owner();
  if (process == 0) return not_found("'spoor watch' does not run");
  if (::kill(process, SIGTERM) != 0) {
    return io_error(fmt::format("cannot end process {}: {}", process, std::strerror(errno)));
  }
  for (int i = 0; i < 1000; ++i) {
    if (lock.owner() != process) return {};
    ::usleep(10'000);
  }
  return unavailable(fmt::format("process {} has not ended yet", process));
}

// Prints how far branches have come.
class Progress {
 public:
  Progress(Session& session, const graph::Repository& repository)
      : session_(session), repository_(repository) {}

  Result<void> print(const std::set<std::string>& branches) {
    for (const std::string& branch : branches) {
      const auto tip = TRY(repository_.store().ref(branch));
      if (!tip) continue;
      const auto commit = TRY(repository_.reader().commit(*tip));
      const auto known = turns_.find(branch);
      const std::uint64_t turns = commit->depth + 1;
      if (known != turns_.end() && known->second == turns) continue;
      const std::string name = branch.substr(store::branch_ref("").size());
      const auto turn = TRY(graph::read_turn(repository_.reader(), *tip));
      session_.out()
          .print(Style::muted, plain_time(session_.clock().now()))
          .print("  ")
          .print(Style::branch, name)
          .print(fmt::format("  {}  ", counted(turns, "turn")))
          .print(visible_line(turn.text, 60))
          .print("\n");
      turns_[branch] = turns;
    }
    session_.out().flush();
    return {};
  }

 private:
  Session& session_;
  const graph::Repository& repository_;
  std::map<std::string, std::uint64_t> turns_;
};

// Follows until a signal comes, or nothing was written for `idle`.
Result<void> follow(Session& session, const Lock& lock, std::optional<std::chrono::minutes> idle,
                    const std::function<void()>& on_ready) {
  session.use_own_store();
  Workspace& workspace = *TRY(session.workspace_or_new());
  TRY(session.require_writing());
  graph::Repository& repository = workspace.repository();
  const os::SignalFile signals({SIGINT, SIGTERM, SIGHUP});

  const Environment& environment = session.environment();
  const auto variable = [&](const char* name) { return environment.variable(name); };
  const Timestamp begun = SystemClock().now();
  // A time to come is one of a clock that was set back.
  const Timestamp since = std::min(lock.read_until().value_or(begun), begun);
  lock.note(since);
  const auto watch = TRY(import::SessionWatch::start(
      import::SessionWatch::places(nullptr, variable("HOME").value_or(""), variable), since,
      repository));
  on_ready();
  Progress progress(session, repository);
  SteadyClock::time_point last = SteadyClock::now();
  SteadyClock::time_point noted;
  bool has_head = false;
  bool has_failed = false;
  bool has_unreadable = false;
  while (true) {
    const Timestamp now = SystemClock().now();
    const auto updated = watch->update();
    if (!updated && !has_failed) session.report(updated.error());
    has_failed = !updated;
    const auto& unreadable = watch->unreadable();
    if (unreadable && !has_unreadable) session.report(*unreadable);
    has_unreadable = unreadable.has_value();
    if (updated && !updated->empty()) {
      last = SteadyClock::now();
      if (!has_head) has_head = begin_head(workspace, *updated->begin()).has_value();
      if (!idle) TRY(progress.print(updated.value()));
    }
    if (updated && !watch->has_more() && SteadyClock::now() - noted > kKeepTime) {
      lock.note(now);
      noted = SteadyClock::now();
    }
    std::chrono::milliseconds patience = std::chrono::minutes(1);
    if (watch->has_more()) {
      patience = has_failed || has_unreadable ? kAgain : std::chrono::milliseconds(100);
    }
    if (watch->has_unread()) patience = {};
    if (watch->file() < 0) {  // Nothing tells of what is written.
      patience = std::min<std::chrono::milliseconds>(patience, os::FolderWatch::kLook);
    }
    std::array<pollfd, 2> files = {pollfd{signals.file(), POLLIN, 0},
                                   pollfd{watch->file(), POLLIN, 0}};
    // After an error the rest waits, too.
    const nfds_t count = has_failed ? 1 : files.size();
    (void)::poll(files.data(), count, static_cast<int>(patience.count()));
    if ((files[0].revents & POLLIN) != 0) break;
    if (idle && SteadyClock::now() - last > *idle) break;
    if ((files[1].revents & POLLIN) != 0) {
      const auto pause = kGather.count();
      (void)::poll(files.data(), 1, static_cast<int>(pause));
    }
  }
  const Timestamp ended = SystemClock().now();
  const auto finished = watch->finish();
  if (finished) lock.note(ended);
  if (finished && !idle) TRY(progress.print(finished.value()));
  return finished ? Result<void>() : finished.error();
}

// Goes on in a process without a terminal. Returns when it follows.
Result<void> follow_in_background(Session& session, const Lock& lock) {
  std::array<int, 2> ready{};
  if (os::make_pipe(ready.data()) != 0) return io_error("cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) return io_error("cannot start a process");
  if (child == 0) {
    ::setsid();
    ::close(ready[0]);
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int file : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(nothing, file);
    (void)!::chdir("/");
    const auto followed = follow(session, lock, kIdle, [&] {
      ::dup2(nothing, STDERR_FILENO);
      (void)!::write(ready[1], "r", 1);
      ::close(std::exchange(ready[1], -1));
    });
    if (!followed && ready[1] >= 0) session.report(followed.error());
    session.err().flush();
    ::_exit(followed ? 0 : kExitFailed);
  }
  ::close(ready[1]);
  std::array<char, 1> byte{};
  const bool is_ready = ::read(ready[0], byte.data(), byte.size()) == 1;
  ::close(ready[0]);
  if (!is_ready) session.exit_with(kExitFailed);  // It has said why.
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(require_shell(session));
  if (arguments.has("--stop")) return stop_other(session);
  const bool is_background = arguments.has("--background");
  const Lock lock = TRY(Lock::open(session.environment()));
  if (!lock.take()) {
    if (is_background) return {};
    return conflict(fmt::format("'spoor watch' runs already: process {}", lock.owner()),
                    "'spoor watch --stop' ends it");
  }
  if (is_background) return follow_in_background(session, lock);
  return follow(session, lock, {}, [&] {
    session.err().print("spoor: following the sessions of your agents; Ctrl-C ends\n").flush();
  });
}

}  // namespace

extern const Command kWatch{
    .name = "watch",
    .summary = "Import your agents' sessions as they are written",
    .options = kOptions,
    .run = run,
    .group = Group::start,
    .details =
        "Follows the folders in which agents write their sessions, and imports each turn\n"
        "into your own store as soon as it is there. A file is read on from where it was\n"
        "left. Begins with what was written since it last ran; 'spoor import' reads what\n"
        "is older. 'spoor log --follow' shows the turns as they come.\n"
        "\n"
        "In the background it ends when nothing was written for 30 minutes. One runs for\n"
        "each user.",
    .examples = kExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
