#include "tests/store/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "store/postgres/address.h"
#include "store/postgres/connection.h"

namespace spoor::store {
namespace {

namespace fs = std::filesystem;

// The folder of the newest version's programs; empty if there is none.
std::string newest_programs() {
  std::string found;
  std::error_code error;
  int newest = 0;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", error)) {
    const int number = std::atoi(version.path().filename().c_str());
    if (number <= newest || !fs::exists(version.path() / "bin/initdb", error)) continue;
    newest = number;
    found = version.path() / "bin";
  }
  return found;
}

// PostgreSQL refuses to run as root.
unsigned unprivileged() {
  if (::getuid() != 0) return ::getuid();
  const passwd* nobody = ::getpwnam("nobody");
  return nobody == nullptr ? 65534 : nobody->pw_uid;
}

// Starts a program as that user, which ends when this one does.
pid_t start_program(std::vector<std::string> words, unsigned user) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int file : {0, 1, 2}) ::dup2(nothing, file);
  if (::getuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(user) != 0)) ::_exit(98);
  if (::setuid(user) != 0 || ::chdir("/") != 0) ::_exit(97);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(96);
}

}  // namespace

std::unique_ptr<PostgresServer> PostgresServer::start(bool syncs) {
  const std::string programs = newest_programs();
  if (programs.empty()) {
    std::fputs("skipped: PostgreSQL's server is not installed\n", stderr);
    return nullptr;
  }
  try {
    return std::unique_ptr<PostgresServer>(new PostgresServer(programs, unprivileged(), syncs));
  } catch (const std::runtime_error& problem) {  // Such as where no user can be changed to.
    std::fprintf(stderr, "skipped: PostgreSQL's server does not start: %s\n", problem.what());
    return nullptr;
  }
}

PostgresServer* PostgresServer::get() {
  static const std::unique_ptr<PostgresServer> server = start(false);
  return server.get();
}

PostgresServer* PostgresServer::of_keys() {
  static const std::unique_ptr<PostgresServer> server = start(false);
  return server.get();
}

PostgresServer::PostgresServer(std::string programs, unsigned user, bool syncs)
    : programs_(std::move(programs)), user_(user), syncs_(syncs) {
  if (::getuid() == 0 && ::chown(folder_.path().c_str(), user_, user_) != 0) {
    throw std::runtime_error("cannot give away a folder");
  }
  const pid_t made = start_program({programs_ + "/initdb", "-D", folder_ / "data", "-U", "spoor",
                                    "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"},
                                   user_);
  int status = 0;
  ::waitpid(made, &status, 0);
  if (status != 0) throw std::runtime_error("initdb failed");
  run();
}

PostgresServer::~PostgresServer() { stop(); }

void PostgresServer::run() {
  server_ =
      start_program({programs_ + "/postgres", "-D", folder_ / "data", "-k", folder_.path(), "-c",
                     "listen_addresses=", "-c", std::string("fsync=") + (syncs_ ? "on" : "off"),
                     "-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c",
                     "autovacuum=off", "-c", "deadlock_timeout=50ms"},
                    user_);
  for (int i = 0; i < 600; ++i) {
    const auto address = postgres::parse_address(new_address());
    if (postgres::Connection::open(address->server)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw std::runtime_error("the PostgreSQL server does not answer");
}

void PostgresServer::stop() {
  if (server_ <= 0) return;
  ::kill(server_, SIGQUIT);
  ::waitpid(std::exchange(server_, -1), nullptr, 0);
}

void PostgresServer::restart() {
  stop();
  run();
}

std::string PostgresServer::new_address() {
  return "postgres:///postgres?user=spoor&host=" + folder_.path() + "&store=s" +
         std::to_string(++stores_);
}

}  // namespace spoor::store
