#include "proxy/station.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/os/pipe.h"
#include "base/os/signals.h"
#include "proxy/loopback.h"

namespace spoor::proxy {
namespace {

constexpr int kBacklog = 128;

Error failed(std::string_view what) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

// Waits for the end of a child; returns its status. nullopt: it was killed.
std::optional<int> wait_for(pid_t child) {
  int status = 1;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

sigset_t endings() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Result<std::unique_ptr<Station>> Station::start(StationOptions options) {
  Spool spool = TRY(Spool::open(options.spool));
  std::unique_ptr<Station> station(new Station(std::move(options), std::move(spool)));
  TRY(station->listen());
  TRY(station->start_server());
  TRY(station->start_recorder());
  return station;
}

Station::~Station() {
  if (server_ > 0) ::kill(server_, SIGTERM);
  if (finish_ >= 0) ::close(finish_);
  if (socket_ >= 0) ::close(socket_);
}

Result<void> Station::listen() {
  sockaddr_in address = TRY(read_listener(options_.listen));
  socket_ = os::make_socket(AF_INET);
  const int yes = 1;
  socklen_t size = sizeof address;
  if (socket_ < 0 || ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(socket_, kBacklog) != 0 ||
      ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return failed("listen at " + options_.listen);
  }
  std::array<char, INET_ADDRSTRLEN> host{};
  ::inet_ntop(AF_INET, &address.sin_addr, host.data(), host.size());
  address_ = fmt::format("http://{}:{}", host.data(), ntohs(address.sin_port));
  return {};
}

Result<void> Station::start_server() {
  server_begun_ = std::chrono::steady_clock::now();
  const sigset_t set = endings();
  sigset_t before{};
  ::sigprocmask(SIG_BLOCK, &set, &before);  // finish() may signal before the server waits for it.
  server_ = ::fork();
  if (server_ == 0) {
    ::setpgid(0, 0);
    if (finish_ >= 0) ::close(finish_);
    ::_exit(run_server());
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (server_ < 0) return failed("start the server");
  return {};
}

int Station::run_server() const {
  ::signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  auto server = options_.serve(socket_, spool_);
  if (!server) return 1;
  std::thread ender([&] { wait_for_end(*server.value()); });
  server.value()->run();
  ::_exit(0);  // Threads that still work are not waited for.
}

// Waits for a signal, or for the death of the process that started this one: then stops the server.
// Ends it at once after another signal, or when what is open has had its time.
void Station::wait_for_end(Server& server) const {
  using Clock = std::chrono::steady_clock;
  const sigset_t set = endings();
  constexpr std::chrono::seconds kOrphaned{10};
  std::optional<Clock::time_point> deadline;
  bool is_stopping = false;
  while (true) {
    const bool has_signal = os::take_signal(set, std::chrono::milliseconds(100)) > 0;
    const bool is_orphan = ::getppid() != parent_;
    if (has_signal && is_stopping) return server.abandon();
    if ((has_signal || is_orphan) && !is_stopping) {
      is_stopping = true;
      if (options_.grace) deadline = Clock::now() + *options_.grace;
      if (is_orphan) deadline = Clock::now() + kOrphaned;
      server.stop();
    }
    if (deadline && Clock::now() > *deadline) return server.abandon();
  }
}

Result<void> Station::start_recorder() {
  std::array<int, 2> ends{};
  if (os::make_pipe(ends.data()) != 0) return failed("start the recorder");
  recorder_ = ::fork();
  if (recorder_ < 0) return failed("start the recorder");
  if (recorder_ == 0) {
    ::setpgid(0, 0);
    ::close(ends[1]);
    ::close(socket_);
    ::signal(SIGINT, SIG_IGN);
    ::setpriority(PRIO_PROCESS, 0, kRecordingNice);
    ::_exit(options_.record(spool_, ends[0]));
  }
  ::close(ends[0]);
  finish_ = ends[1];
  return {};
}

void Station::ended(pid_t child) {
  if (child == server_) {
    server_ = -1;
    const auto now = std::chrono::steady_clock::now();
    // One that cannot live is not started again and again.
    if (now - server_begun_ < std::chrono::milliseconds(20)) ::usleep(50'000);
    (void)start_server();  // Without it the agent is told that nobody listens.
  } else if (child == recorder_) {
    recorder_ = -1;  // The spool keeps the rest, for the next one.
  }
}

int Station::finish() {
  if (server_ > 0) {
    ::kill(server_, SIGTERM);
    const sigset_t set = endings();
    siginfo_t ended{};
    const auto has_ended = [&] {
      const auto server = static_cast<id_t>(server_);
      return ::waitid(P_PID, server, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0;
    };
    while (!options_.grace && !has_ended()) {
      if (os::take_signal(set, std::chrono::milliseconds(50)) > 0) {
        ::kill(server_, SIGTERM);  // At once, then.
      }
    }
    wait_for(std::exchange(server_, -1));
  }
  ::close(std::exchange(finish_, -1));
  std::optional<int> status;
  if (recorder_ > 0) status = wait_for(std::exchange(recorder_, -1));
  if (status) return *status;
  // It was killed, now or before: another writes the rest.
  if (!start_recorder()) return 1;
  ::close(std::exchange(finish_, -1));
  return wait_for(std::exchange(recorder_, -1)).value_or(1);
}

}  // namespace spoor::proxy
