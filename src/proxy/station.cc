#include "proxy/station.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace spoor::proxy {
namespace {

constexpr int kBacklog = 128;

Error failed(std::string_view what) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

Result<sockaddr_in> read_listener(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string host(text.substr(0, colon));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  std::uint16_t port = 0;
  const std::string_view digits = colon == text.npos ? "" : text.substr(colon + 1);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool is_read = problem == std::errc() && end == digits.data() + digits.size() &&
                       ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1;
  if (!is_read) {
    return invalid(fmt::format("cannot listen at '{}'", text), "write 127.0.0.1:PORT");
  }
  if ((ntohl(address.sin_addr.s_addr) >> 24U) != 127) {
    return denied(fmt::format("cannot listen at '{}': others could ask there", text),
                  "the proxy has your keys pass through it: it listens at 127.0.0.1 only");
  }
  address.sin_port = htons(port);
  return address;
}

// Waits for the end of a child; returns its status.
int wait_for(pid_t child) {
  int status = 1;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
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
  TRY(station->start_relay());
  TRY(station->start_recorder());
  return station;
}

Station::~Station() {
  if (relay_ > 0) ::kill(relay_, SIGTERM);
  if (finish_ >= 0) ::close(finish_);
  if (socket_ >= 0) ::close(socket_);
}

Result<void> Station::listen() {
  sockaddr_in address = TRY(read_listener(options_.listen));
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
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

Result<void> Station::start_relay() {
  // Checked here, where an error can be said.
  TRY(Relay::check(options_.routes));
  relay_begun_ = std::chrono::steady_clock::now();
  relay_ = ::fork();
  if (relay_ < 0) return failed("start the relay");
  if (relay_ == 0) {
    ::setpgid(0, 0);
    if (finish_ >= 0) ::close(finish_);
    ::_exit(run_relay());
  }
  return {};
}

int Station::run_relay() const {
  const sigset_t set = endings();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);  // Before the first thread.
  ::signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  Credentials known;                   // Of this agent: an old key may be in a later request.
  boost::asio::thread_pool writer(1);  // The disk may be slow.
  const auto drop = [this](std::string_view reason) { spool_.note_dropped(reason); };
  auto relay = Relay::make(
      socket_, {.routes = options_.routes,
                .agent = options_.agent,
                .on_exchange =
                    [&](Exchange exchange, Credentials credentials) {
                      boost::asio::post(writer, [this, &drop, &known, each = std::move(exchange),
                                                 keys = std::move(credentials)]() mutable {
                        known.add(keys);
                        take_out(known, each);
                        if (!spool_.put(each)) drop("ingest_reject");
                      });
                    },
                .on_dropped = drop,
                .curl = options_.curl});
  if (!relay) return 1;
  std::thread ender([&] { wait_for_end(*relay.value()); });
  relay.value()->run();
  writer.join();
  ::_exit(0);  // Threads that still connect are not waited for.
}

// Waits for a signal, or for the death of the process that started this one: then stops the relay.
// Ends it at once after another signal, or when the exchanges that are open have had their time.
void Station::wait_for_end(Relay& relay) const {
  using Clock = std::chrono::steady_clock;
  const sigset_t set = endings();
  constexpr std::chrono::seconds kOrphaned{10};
  std::optional<Clock::time_point> deadline;
  bool is_stopping = false;
  while (true) {
    const timespec wait{0, 100'000'000};
    const bool has_signal = ::sigtimedwait(&set, nullptr, &wait) > 0;
    const bool is_orphan = ::getppid() != parent_;
    if (has_signal && is_stopping) return relay.abandon();
    if ((has_signal || is_orphan) && !is_stopping) {
      is_stopping = true;
      if (options_.grace) deadline = Clock::now() + *options_.grace;
      if (is_orphan) deadline = Clock::now() + kOrphaned;
      relay.stop();
    }
    if (deadline && Clock::now() > *deadline) return relay.abandon();
  }
}

Result<void> Station::start_recorder() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("start the recorder");
  recorder_ = ::fork();
  if (recorder_ < 0) return failed("start the recorder");
  if (recorder_ == 0) {
    ::setpgid(0, 0);
    ::close(ends[1]);
    ::close(socket_);
    ::signal(SIGINT, SIG_IGN);
    ::_exit(options_.record(spool_, ends[0]));
  }
  ::close(ends[0]);
  finish_ = ends[1];
  return {};
}

void Station::ended(pid_t child) {
  if (child == relay_) {
    relay_ = -1;
    const auto now = std::chrono::steady_clock::now();
    // One that cannot live is not started again and again.
    if (now - relay_begun_ < std::chrono::milliseconds(20)) ::usleep(50'000);
    (void)start_relay();  // Without it the agent is told that nobody listens.
  } else if (child == recorder_) {
    recorder_ = -1;  // The spool keeps the rest, for the next one.
  }
}

int Station::finish() {
  if (relay_ > 0) {
    ::kill(relay_, SIGTERM);
    const sigset_t set = endings();
    siginfo_t ended{};
    const auto has_ended = [&] {
      const auto relay = static_cast<id_t>(relay_);
      return ::waitid(P_PID, relay, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0;
    };
    while (!options_.grace && !has_ended()) {
      const timespec wait{0, 50'000'000};
      if (::sigtimedwait(&set, nullptr, &wait) > 0) ::kill(relay_, SIGTERM);  // At once, then.
    }
    wait_for(std::exchange(relay_, -1));
  }
  ::close(std::exchange(finish_, -1));
  if (recorder_ < 0) {
    if (!start_recorder()) return 1;
    ::close(std::exchange(finish_, -1));
  }
  return wait_for(std::exchange(recorder_, -1));
}

}  // namespace spoor::proxy
