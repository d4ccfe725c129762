// What wakes a thread: bells, signals, folders.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "base/os/bell.h"
#include "base/os/folder_watch.h"
#include "base/os/pipe.h"
#include "base/os/signals.h"
#include "base/os/wake.h"
#include "tests/base/os_folder.h"

using namespace spoor;
using namespace spoor::os;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using What = FolderWatch::What;

namespace {

bool is_readable(int file, int milliseconds = 0) {
  pollfd one{file, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) == 1;
}

// What happened in the one folder that is followed, `+name` made, `=name` written, with `/` behind
// a folder's. The last of several equal ones only: a file may be written in pieces.
std::vector<std::string> events_of(FolderWatch& watch) {
  if (watch.file() >= 0) is_readable(watch.file(), 1000);
  std::vector<std::string> all;
  watch.read([&](const FolderWatch::Event& event) {
    std::string text = event.what == What::made ? "+" : event.what == What::written ? "=" : "!";
    text += event.name + (event.is_folder ? "/" : "");
    if (all.empty() || all.back() != text) all.push_back(text);
    return true;
  });
  return all;
}

}  // namespace

TEST_SUITE("base/os/waiting") {
  TEST_CASE("a bell wakes before the time is over, if the word changed") {
    std::uint32_t word = 7;
    const auto begun = Clock::now();
    std::thread ringer([&] {
      std::this_thread::sleep_for(20ms);
      std::atomic_ref<std::uint32_t>(word).store(8);
      wake(word, 2);
    });
    while (std::atomic_ref<std::uint32_t>(word).load() == 7) wait_at(word, 7, 2, 900ms);
    ringer.join();
    CHECK(Clock::now() - begun < 800ms);
    wait_at(word, 7, 2, 900ms);  // It is another already.
    CHECK(Clock::now() - begun < 800ms);
    const auto again = Clock::now();
    wait_at(word, 8, 2, 15ms);
    CHECK(Clock::now() - again >= 15ms);
  }

  TEST_CASE("a wake is readable until it is cleared, however often it was rung") {
    const Wake wake;
    CHECK_FALSE(is_readable(wake.file()));
    for (int i = 0; i < 100'000; ++i) wake.ring();
    CHECK(is_readable(wake.file()));
    wake.clear();
    CHECK_FALSE(is_readable(wake.file()));
    wake.ring();
    CHECK(is_readable(wake.file()));
  }

  TEST_CASE("a blocked signal is taken once") {
    sigset_t set;
    sigset_t before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    REQUIRE(::pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
    CHECK(take_signal(set, 0ns) == 0);
    ::kill(::getpid(), SIGUSR2);
    CHECK(take_signal(set, 0ns) == SIGUSR2);
    CHECK(take_signal(set, 30ms) == 0);
    std::thread sender([] {
      std::this_thread::sleep_for(20ms);
      ::kill(::getpid(), SIGUSR1);
    });
    CHECK(take_signal(set, 5s) == SIGUSR1);
    sender.join();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  TEST_CASE("waiting for bytes ends with bytes, or with a signal that the mask lets in") {
    struct sigaction action {};
    struct sigaction old {};
    action.sa_handler = [](int) {};
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGUSR1, &action, &old);
    sigset_t held;
    sigset_t before;
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &held, &before);
    int ends[2];
    REQUIRE(make_pipe(ends) == 0);
    ::kill(::getpid(), SIGUSR1);  // Comes in only while it waits.
    CHECK(wait_for_bytes(ends[0], before) == -1);
    CHECK(errno == EINTR);
    REQUIRE(::write(ends[1], "x", 1) == 1);
    CHECK(wait_for_bytes(ends[0], before) == 1);
    for (const int end : ends) ::close(end);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::sigaction(SIGUSR1, &old, nullptr);
  }

  TEST_CASE("signals make a file readable") {
    sigset_t before;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
    {
      const SignalFile signals({SIGUSR1, SIGUSR2});
      CHECK_FALSE(is_readable(signals.file()));
      ::kill(::getpid(), SIGUSR2);
      CHECK(is_readable(signals.file(), 1000));
      std::array<char, 256> taken{};  // Else it comes when it is no longer blocked.
      CHECK(::read(signals.file(), taken.data(), taken.size()) > 0);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  TEST_CASE("a folder tells what is made, written and moved in, and when it goes") {
    const Folder folder;
    std::filesystem::create_directories(folder / "followed");
    folder.write("followed/old", "1");
    folder.write("elsewhere", "1");
    FolderWatch watch;
    REQUIRE(watch);
    const int number = watch.add(folder / "followed");
    REQUIRE(number >= 0);
    CHECK(watch.add(folder / "followed") == number);
    CHECK(watch.add(folder / "missing") == -1);

    folder.write("followed/old", "2", true);
    CHECK(events_of(watch) == std::vector<std::string>{"=old"});
    folder.write("followed/new", "");
    CHECK(events_of(watch).front() == "+new");
    std::filesystem::rename(folder / "elsewhere", folder / "followed/moved");
    CHECK(events_of(watch) == std::vector<std::string>{"+moved"});
    std::filesystem::create_directory(folder / "followed/below");
    CHECK(events_of(watch) == std::vector<std::string>{"+below/"});
    folder.write("followed/below/x", "not of this folder");
    watch.read([](const FolderWatch::Event&) {
      FAIL("an event of a folder below");
      return true;
    });
    std::filesystem::remove_all(folder / "followed");
    CHECK(events_of(watch).back() == "!");
  }
}
