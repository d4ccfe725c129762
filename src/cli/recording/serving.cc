#include "cli/recording/serving.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/os/pipe.h"
#include "base/os/signals.h"
#include "cli/common_options.h"

namespace spoor::cli {

Result<void> require_shell(Session& session) {
  if (session.interactive() == nullptr) return {};
  return invalid("this cannot run within a session", "run it from the shell");
}

Result<std::string> spool_folder(Session& session, std::string_view name) {
  session.use_own_store();
  return TRY(require_state_home(session.environment())) + "/" + std::string(name);
}

int failed_recorder(Session& session, const Error& error) {
  session.report(error);
  return kExitFailed;
}

Result<Pipe> Pipe::make() {
  std::array<int, 2> ends{};
  if (os::make_pipe(ends.data(), false) != 0) return io_error("cannot make a pipe");
  return Pipe(Descriptor(ends[0]), Descriptor(ends[1]));
}

void Pipe::say(std::string_view line) const {
  (void)!::write(in_.number(), line.data(), line.size());
}

std::string Pipe::heard() const {
  std::array<char, 4096> line{};
  const ssize_t size = ::read(out_.number(), line.data(), line.size());
  return size > 0 ? std::string(line.data(), static_cast<std::size_t>(size)) : std::string();
}

void serve_until_signal(Session& session, proxy::Server& server, const std::string& address) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread worker([&] { server.run(); });
  session.out().print(address + "\n").flush();
  int signal = 0;
  ::sigwait(&set, &signal);
  server.stop();
  std::jthread hurry([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      if (os::take_signal(set, std::chrono::milliseconds(100)) > 0) server.abandon();
    }
  });
  worker.join();
}

void serve_until_signal(Session& session, proxy::Station& station) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  session.out().print(station.address() + "\n").flush();
  while (true) {
    int signal = 0;
    ::sigwait(&set, &signal);
    if (signal != SIGCHLD) return;
    int status = 0;
    while (const pid_t ended = ::waitpid(-1, &status, WNOHANG)) {
      if (ended < 0) break;
      station.ended(ended);
    }
  }
}

}  // namespace spoor::cli
