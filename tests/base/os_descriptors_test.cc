// Pipes, sockets and files.
#include "base/os/descriptors.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <netinet/in.h>

#include "base/descriptor.h"
#include "base/os/durable.h"
#include "base/os/exclusive_rename.h"
#include "base/os/file_birth.h"
#include "base/os/file_times.h"
#include "base/os/own_program.h"
#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/os/variables.h"
#include "tests/base/os_folder.h"

using namespace spoor;
using namespace spoor::os;

namespace {

bool closes_on_exec(int file) { return (::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0; }
bool waits(int file) { return (::fcntl(file, F_GETFL) & O_NONBLOCK) == 0; }

// Runs `work` in a child and returns its exit status.
template <typename Work>
int in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_SUITE("base/os/descriptors") {
  TEST_CASE("pipes and sockets are closed on exec, and wait as they are told") {
    for (const bool does_wait : {true, false}) {
      int ends[2];
      REQUIRE(make_pipe(ends, does_wait) == 0);
      for (const int end : ends) {
        CHECK(closes_on_exec(end));
        CHECK(waits(end) == does_wait);
        ::close(end);
      }
      const Descriptor socket(make_socket(AF_INET, does_wait));
      REQUIRE(socket);
      CHECK(closes_on_exec(socket.number()));
      CHECK(waits(socket.number()) == does_wait);
    }
  }

  TEST_CASE("an accepted socket waits, also from a listener that does not") {
    const Descriptor listener(make_socket(AF_INET, false));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    REQUIRE(::bind(listener.number(), address, size) == 0);
    REQUIRE(::listen(listener.number(), 1) == 0);
    REQUIRE(::getsockname(listener.number(), address, &size) == 0);
    CHECK(accept_from(listener.number()) == -1);
    CHECK(errno == EAGAIN);
    const Descriptor client(make_socket(AF_INET));
    REQUIRE(::connect(client.number(), address, size) == 0);
    pollfd ready{listener.number(), POLLIN, 0};
    REQUIRE(::poll(&ready, 1, 1000) == 1);
    const Descriptor accepted(accept_from(listener.number()));
    REQUIRE(accepted);
    CHECK(closes_on_exec(accepted.number()));
    CHECK(waits(accepted.number()));
  }

  TEST_CASE("sending to a closed socket is an error and no signal") {
    CHECK(in_child([] {
            ::signal(SIGPIPE, SIG_DFL);
            int ends[2];
            if (make_socket_pair(ends) != 0 || send_quietly(ends[0], "x") != 1) return 2;
            ::close(ends[1]);
            return send_quietly(ends[0], "x") == -1 && errno == EPIPE ? 0 : 3;
          }) == 0);
  }

  TEST_CASE("a side that sends no more is silent, and one that broke off is gone") {
    const Descriptor listener(make_socket(AF_INET));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    REQUIRE(::bind(listener.number(), address, size) == 0);
    REQUIRE(::listen(listener.number(), 1) == 0);
    REQUIRE(::getsockname(listener.number(), address, &size) == 0);
    for (const Peer wanted : {Peer::silent, Peer::gone}) {
      Descriptor client(make_socket(AF_INET));
      REQUIRE(::connect(client.number(), address, size) == 0);
      const Descriptor server(accept_from(listener.number()));
      CHECK(peer_of(server.number()) == Peer::here);
      if (wanted == Peer::silent) {
        REQUIRE(::shutdown(client.number(), SHUT_WR) == 0);
      } else {
        const linger at_once{1, 0};  // A reset instead of an end.
        ::setsockopt(client.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        client.close();
      }
      pollfd ready{server.number(), POLLIN, 0};
      REQUIRE(::poll(&ready, 1, 1000) == 1);
      CHECK(peer_of(server.number()) == wanted);
    }
  }

  TEST_CASE("descriptors from a number on are closed, at once or at exec") {
    CHECK(in_child([] {
            const int low = ::dup2(STDERR_FILENO, 20);
            const int high = ::dup2(STDERR_FILENO, 900);
            if (low < 0 || high < 0) return 2;
            close_on_exec_from(21);
            if (closes_on_exec(low) || !closes_on_exec(high)) return 3;
            close_from(21);
            return ::fcntl(low, F_GETFD) >= 0 && ::fcntl(high, F_GETFD) < 0 ? 0 : 4;
          }) == 0);
  }

  TEST_CASE("a file without a name is empty, and its folder too") {
    const Folder folder;
    for (const int number : {open_unnamed(folder.path().string()), open_in_memory("test")}) {
      const Descriptor file(number);
      REQUIRE(file);
      struct stat found {};
      REQUIRE(::fstat(file.number(), &found) == 0);
      CHECK(found.st_nlink == 0);
      CHECK(found.st_size == 0);
      CHECK(closes_on_exec(file.number()));
      CHECK(::pwrite(file.number(), "abc", 3, 0) == 3);
      std::array<char, 3> bytes{};
      CHECK(::pread(file.number(), bytes.data(), 3, 0) == 3);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
    CHECK(open_unnamed(folder / "missing") == -1);
  }

  TEST_CASE("an exclusive rename replaces nothing") {
    const Folder folder;
    folder.write("from", "1");
    folder.write("taken", "2");
    const int answer = rename_exclusive((folder / "from").c_str(), (folder / "taken").c_str());
    const int problem = errno;
    CHECK(answer == -1);
    CHECK(std::filesystem::file_size(folder / "taken") == 1);
    if (problem == ENOSYS || problem == EINVAL) return;  // It cannot.
    CHECK(problem == EEXIST);
    CHECK(rename_exclusive((folder / "from").c_str(), (folder / "free").c_str()) == 0);
    CHECK_FALSE(std::filesystem::exists(folder / "from"));
  }

  TEST_CASE("syncing answers for files only") {
    const Folder folder;
    folder.write("file", "1");
    const Descriptor file(::open((folder / "file").c_str(), O_RDWR | O_CLOEXEC));
    CHECK(sync_file(file.number()) == 0);
    CHECK(sync_data(file.number()) == 0);
    CHECK(sync_file(-1) == -1);
    CHECK(sync_data(-1) == -1);
  }

  TEST_CASE("times are those that were set") {
    const Folder folder;
    folder.write("file", "1");
    const std::array<timespec, 2> times = {timespec{1, 2}, timespec{1'600'000'000, 123'456'000}};
    REQUIRE(::utimensat(AT_FDCWD, (folder / "file").c_str(), times.data(), 0) == 0);
    struct stat found {};
    REQUIRE(::stat((folder / "file").c_str(), &found) == 0);
    CHECK(written_at(found).tv_sec == 1'600'000'000);
    CHECK(written_at(found).tv_nsec == 123'456'000);
    CHECK(changed_at(found).tv_sec > 1'600'000'000);
    FileBirth birth;
    REQUIRE(look_at_birth((folder / "file").c_str(), birth) == 0);
    CHECK(birth.owner == ::geteuid());
    CHECK(birth.inode == found.st_ino);
    CHECK((birth.born == 0 || birth.born / 1'000'000'000 > 1'600'000'000));
    CHECK(look_at_birth((folder / "missing").c_str(), birth) == -1);
  }

  TEST_CASE("the program and the processes are found") {
    const std::string program = own_program();
    REQUIRE(std::filesystem::path(program).is_absolute());
    CHECK(std::filesystem::path(program).filename().string().starts_with("base_"));
    CHECK_FALSE(begin_of_process(::getpid()).empty());
    CHECK(begin_of_process(::getpid()) == begin_of_process(::getpid()));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK(begin_of_process(child).empty());
  }

  TEST_CASE("a process that keeps its memory private leaves no core") {
    const Folder folder;
    const auto leaves_core = [&](bool is_private) {
      return in_child([&] {
        if (::chdir(folder.path().c_str()) != 0) return 2;
        rlimit core{};
        ::getrlimit(RLIMIT_CORE, &core);
        core.rlim_cur = core.rlim_max;
        ::setrlimit(RLIMIT_CORE, &core);
        if (is_private) keep_memory_private();
        const pid_t child = ::fork();
        if (child == 0) {
          ::signal(SIGABRT, SIG_DFL);
          ::abort();
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WCOREDUMP(status) ? 1 : 0;
      });
    };
    if (leaves_core(false) != 1) MESSAGE("this system leaves no core in any case");
    CHECK(leaves_core(true) == 0);
  }

  TEST_CASE("variables are those of getenv") {
    REQUIRE(::setenv("SPOOR_OS_TEST", "x y", 1) == 0);
    bool is_there = false;
    for (char** each = variables(); *each != nullptr; ++each) {
      is_there = is_there || std::strcmp(*each, "SPOOR_OS_TEST=x y") == 0;
    }
    CHECK(is_there);
  }
}
