#include "store/writer_lock.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "store/lock_bell.h"
#include "store/lock_file.h"
#include "store/writer_queue.h"
#include "tests/store/child.h"
#include "tests/store/temp_dir.h"

using namespace spoor;
using namespace spoor::store;
using namespace std::chrono_literals;

namespace {

constexpr unsigned kPermissions = 0600;

// Looks at the bytes of a lock file from outside (their layout: lock_file.cc).
class Probe {
 public:
  explicit Probe(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT, 0600)) {}
  ~Probe() { close(file_); }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void wait_for_ticket(int number) const {
    while (!is_locked(0x1000 + number)) sched_yield();
  }

 private:
  bool is_locked(off_t byte) const {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  }

  int file_;
};

// Who had the lock, in order.
struct Turns {
  std::atomic<int> count = 0;
  std::array<int, 4096> who{};

  void add(int me) { who[static_cast<std::size_t>(count++)] = me; }
};

// Takes the lock once, notes it, and is done.
Child one_turn(const std::string& path, int me, const Shared<Turns>& turns) {
  return Child([&path, me, &turns] {
    LockFile lock(path, kPermissions);
    if (!lock.lock()) return 1;
    turns->add(me);
    lock.unlock();
    return 0;
  });
}

}  // namespace

TEST_SUITE("store/writer_lock") {
  TEST_CASE("threads get the queue in the order in which they came") {
    WriterQueue queue;
    REQUIRE(queue.lock());
    std::vector<int> order;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&queue, &order, i] {
        queue.lock();
        order.push_back(i);
        queue.unlock();
      });
      while (queue.waiting() < static_cast<std::size_t>(i) + 1) std::this_thread::yield();
    }
    queue.unlock();
    for (auto& each : threads) each.join();
    CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  }

  TEST_CASE("a thread that has the queue gets it again, and others only when all is given back") {
    WriterQueue queue;
    CHECK(queue.depth() == 0);
    REQUIRE(queue.lock());
    REQUIRE(queue.lock());
    CHECK(queue.depth() == 2);
    std::atomic<bool> got = false;
    std::thread other([&] {
      queue.lock();
      got = true;
      queue.unlock();
    });
    while (queue.waiting() < 1) std::this_thread::yield();
    queue.unlock();
    CHECK_FALSE(got);
    CHECK(queue.depth() == 1);
    queue.unlock();
    other.join();
    CHECK(got);
    CHECK(queue.depth() == 0);
  }

  TEST_CASE("a thread whose patience ends leaves the queue in order") {
    WriterQueue queue;
    REQUIRE(queue.lock());
    std::thread impatient([&queue] { CHECK_FALSE(queue.lock(1ms)); });
    impatient.join();
    CHECK(queue.waiting() == 0);
    queue.unlock();
    CHECK(queue.lock(1ms));
    queue.unlock();
  }

  TEST_CASE("processes get the lock in the order in which they came") {
    const TempDir folder;
    const std::string path = folder / "lock";
    const Probe probe(path);
    Shared<Turns> turns;
    LockFile mine(path, kPermissions);
    REQUIRE(mine.lock());
    std::vector<Child> children;
    for (int i = 0; i < 8; ++i) {
      children.push_back(one_turn(path, i, turns));
      probe.wait_for_ticket(i);
    }
    CHECK(turns->count == 0);
    mine.unlock();
    for (Child& each : children) CHECK(each.wait() == 0);
    REQUIRE(turns->count == 8);
    for (int i = 0; i < 8; ++i) CHECK(turns->who[static_cast<std::size_t>(i)] == i);
  }

  TEST_CASE("a waiter that is killed holds nobody up, and the others keep their order") {
    const TempDir folder;
    const std::string path = folder / "lock";
    const Probe probe(path);
    Shared<Turns> turns;
    LockFile mine(path, kPermissions);
    REQUIRE(mine.lock());
    std::vector<Child> children;
    for (int i = 0; i < 6; ++i) {
      children.push_back(one_turn(path, i, turns));
      probe.wait_for_ticket(i);
    }
    children[1].kill();
    children[4].kill();
    CHECK(turns->count == 0);
    mine.unlock();
    for (const int i : {0, 2, 3, 5}) CHECK(children[static_cast<std::size_t>(i)].wait() == 0);
    REQUIRE(turns->count == 4);
    const std::vector<int> got(turns->who.begin(), turns->who.begin() + 4);
    CHECK(got == std::vector<int>{0, 2, 3, 5});
  }

  TEST_CASE("the lock of an owner that is killed is free") {
    const TempDir folder;
    const std::string path = folder / "lock";
    Shared<std::atomic<bool>> has_it;
    Child owner([&] {
      LockFile lock(path, kPermissions);
      if (!lock.lock()) return 1;
      has_it->store(true);
      while (true) pause();
    });
    while (!has_it->load()) sched_yield();
    LockFile mine(path, kPermissions);
    const auto refused = mine.lock({.patience = 1ms});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::unavailable);
    owner.kill();
    REQUIRE(mine.lock());
    mine.unlock();
  }

  TEST_CASE("one that gave up waiting leaves no trace in the queue") {
    const TempDir folder;
    const std::string path = folder / "lock";
    LockFile first(path, kPermissions);
    LockFile second(path, kPermissions);
    LockFile third(path, kPermissions);
    REQUIRE(first.lock());
    for (int i = 0; i < 3; ++i) CHECK_FALSE(second.lock({.patience = 1ms}));
    first.unlock();
    REQUIRE(third.lock({.patience = 1ms}));
    CHECK_FALSE(second.lock({.patience = 1ms}));
    third.unlock();
    REQUIRE(second.lock({.patience = 1ms}));
    second.unlock();
  }

  TEST_CASE("a counter that was lost or damaged does no harm") {
    for (const std::string_view content : {std::string_view(""), std::string_view("x"),
                                           std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff"),
                                           std::string_view("\xff\xff\xff\xff\xff\xff\xff\x7f")}) {
      const TempDir folder;
      const std::string path = folder / "lock";
      std::ofstream(path) << content;
      LockFile first(path, kPermissions);
      LockFile second(path, kPermissions);
      REQUIRE(first.lock());
      std::thread waiter([&second] {
        CHECK(second.lock());
        second.unlock();
      });
      first.unlock();
      waiter.join();
      REQUIRE(first.lock());
      first.unlock();
    }
  }

  TEST_CASE("a lock file that cannot be made is an error, not a lock") {
    LockFile lock("/nonexistent/folder/lock", kPermissions);
    const auto refused = lock.lock();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::io);
  }

  TEST_CASE("eight processes exclude each other, and who has had a turn goes behind who waits") {
    constexpr int kProcesses = 8;
    constexpr int kEach = 40;
    const TempDir folder;
    const std::string path = folder / "lock";
    struct State {
      std::atomic<int> inside = 0;
      std::atomic<int> overlaps = 0;
      std::atomic<int> done = 0;
      std::array<bool, kProcesses * kEach> contended{};
      Turns turns;
    };
    Shared<State> state;
    std::vector<Child> children;
    for (int me = 0; me < kProcesses; ++me) {
      children.emplace_back([&path, &state, me] {
        LockFile lock(path, kPermissions);
        for (int i = 0; i < kEach; ++i) {
          if (!lock.lock()) return 1;
          if (state->inside++ != 0) ++state->overlaps;
          const auto turn = static_cast<std::size_t>(state->turns.count);
          state->turns.add(me);
          // Not left before another one stands in the queue, if one will.
          bool waits = false;
          while (!(waits = lock.someone_waits()) && state->done < kProcesses - 1) sched_yield();
          state->contended[turn] = waits;
          if (i == kEach - 1) ++state->done;
          --state->inside;
          lock.unlock();
        }
        return 0;
      });
    }
    for (Child& each : children) CHECK(each.wait() == 0);
    CHECK(state->overlaps == 0);
    REQUIRE(state->turns.count == kProcesses * kEach);
    int contended = 0;
    int overtaken = 0;
    for (std::size_t i = 0; i + 1 < kProcesses * kEach; ++i) {
      if (!state->contended[i]) continue;
      ++contended;
      if (state->turns.who[i] == state->turns.who[i + 1]) ++overtaken;
    }
    CHECK(overtaken == 0);
    CHECK(contended >= kEach);
  }

  TEST_CASE("threads with locks of their own on one file exclude each other") {
    const TempDir folder;
    const std::string path = folder / "lock";
    WriterLock one(path, kPermissions);
    WriterLock two(path, kPermissions);
    std::atomic<int> inside = 0;
    std::atomic<int> overlaps = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const auto hold = (t % 2 == 0 ? one : two).take();
          if (!hold || inside++ != 0) ++overlaps;
          --inside;
        }
      });
    }
    for (auto& each : threads) each.join();
    CHECK(overlaps == 0);
  }

  TEST_CASE("the file stays locked until the outermost hold is gone") {
    const TempDir folder;
    const std::string path = folder / "lock";
    WriterLock mine(path, kPermissions);
    LockFile other(path, kPermissions);
    {
      const auto outer = mine.take();
      REQUIRE(outer);
      {
        const auto inner = mine.take();
        REQUIRE(inner);
      }
      CHECK_FALSE(other.lock({.patience = 1ms}));
    }
    REQUIRE(other.lock({.patience = 1ms}));
    const auto refused = mine.take({.patience = 1ms});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::unavailable);
    other.unlock();
    CHECK(mine.take({.patience = 1ms}));
  }
}

TEST_SUITE("store/lock_bell") {
  // Long enough that no machine is so slow; nobody waits for it.
  constexpr auto kLong = 60s;

  struct Bells {
    TempDir folder;
    std::string path = folder / "lock";
    int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    LockBell bell;
    Bells() { bell.hang(file); }
    ~Bells() { close(file); }
  };

  TEST_CASE("who waits is woken, also in another process") {
    Bells bells;
    // It may ring before one comes to wait.
    const Child ringer([&] {
      const int file = open(bells.path.c_str(), O_RDWR);
      LockBell other;
      other.hang(file);
      for (;; std::this_thread::sleep_for(1ms)) other.ring(2);
      return 0;
    });
    const auto begin = std::chrono::steady_clock::now();
    bells.bell.wait(bells.bell.rings(), 2, kLong);
    CHECK(std::chrono::steady_clock::now() - begin < kLong);
  }

  TEST_CASE("a bell that rang before one waits for it is heard") {
    Bells bells;
    const std::uint32_t rings = bells.bell.rings();
    bells.bell.ring(1);
    const auto begin = std::chrono::steady_clock::now();
    bells.bell.wait(rings, 1, kLong);
    CHECK(std::chrono::steady_clock::now() - begin < kLong);
  }

  TEST_CASE("a file that cannot be mapped only costs the wait") {
    const int file = open("/dev/null", O_RDWR);
    LockBell bell;
    bell.hang(file);
    bell.ring(1);
    CHECK(bell.rings() == 0);
    bell.wait(0, 1, 1ms);
    close(file);
  }

  TEST_CASE("the counters leave the number of the next ticket alone") {
    TempDir folder;
    const std::string path = folder / "lock";
    std::ofstream(path) << "12345678";
    const int file = open(path.c_str(), O_RDWR);
    LockBell bell;
    bell.hang(file);
    bell.ring(1);
    char bytes[16] = {};
    CHECK(pread(file, bytes, sizeof bytes, 0) == 16);
    CHECK(std::string(bytes, 8) == "12345678");
    close(file);
  }
}
