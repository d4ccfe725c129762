// What docs/durability.md promises where the sync of the log fails.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/fsck.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/page_cache.h"
#include "tests/store/sample.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

// Two processes that write one store on a disk whose syncs fail now and then. A process that dies
// is a store that is never closed, and whoever comes next has another file with the same bytes.
class Machine {
 public:
  explicit Machine(std::uint32_t seed)
      : random_(seed),
        path_(made(folder_ / "store-0")),
        cache_(path_, seed),
        watch_(
            WatchedVfs::Gate([this](const WatchedVfs::Deed& deed) { return cache_.note(deed); })) {}

  void step() {
    switch (random_() % 8) {
      case 0:
        return kill();
      case 1:
        return close();
      case 2:
        CHECK(process().put(std::array{blob(text_of(random_() % 9'000, ++count_))}));
        return;
      case 3:
        CHECK(process().set_local("a fact", std::to_string(++count_)));
        return;
      default:
        return commit();
    }
  }

  // What is there when the power goes now.
  void cut_power() {
    const std::string left = folder_ / "left";
    for (const auto& [suffix, bytes] : cache_.cut()) write_bytes(left + suffix, bytes);
    std::filesystem::remove(left + "-shm");
    const auto store = SqliteStore::open(left);
    REQUIRE_MESSAGE(store, store.error().message);
    const auto report = fsck(**store).value();
    for (const auto& problem : report.problems)
      FAIL_CHECK(problem.subject << ": " << problem.message);
    check(**store);
    ++cuts;
  }

  int failures = 0;
  int cuts = 0;

 private:
  static std::string made(const std::string& path) {
    REQUIRE(SqliteStore::create(path));
    return path;
  }

  SqliteStore& process() {
    auto& one = processes_.at(random_() % processes_.size());
    if (one == nullptr) one = SqliteStore::open(path_).value();
    return *one;
  }

  void commit() {
    const std::string text = text_of(random_() % 20'000, ++count_);
    if (random_() % 3 == 0) cache_.fail(1 + static_cast<int>(random_() % 3));
    const bool is_done = append(process(), text);
    const bool is_void = is_done || cache_.is_log_synced();
    cache_.fail(0);
    is_failed_left_ = !is_void;
    if (is_done) return;
    ++failures;
    check(process());
    // Done again, it is there once.
    if (random_() % 2 == 0) {
      REQUIRE(append(process(), text));
      is_failed_left_ = false;
    }
  }

  bool append(SqliteStore& store, const std::string& text) {
    const Reader reader(store);
    const auto done = append_turn(store, reader, branch_ref("main"), text);
    if (!done) return false;
    tip_ = *done;
    ++acknowledged_;
    return true;
  }

  void check(const SqliteStore& store) const {
    const auto newest = store.newest_operation().value();
    const std::uint64_t found = newest ? newest->number : 0;
    // Where even the sync that takes the failed one away failed, the disk may have it.
    if (is_failed_left_ && found == acknowledged_ + 1) return;
    CHECK(found == acknowledged_);
    CHECK(store.ref(branch_ref("main")).value() == tip_);
  }

  void kill() {
    for (auto& each : processes_) {
      if (each != nullptr) dead_.push_back(std::move(each));
    }
    const std::string next = folder_ / "store-" + std::to_string(dead_.size() + ++count_);
    for (const char* suffix : {"", "-wal", "-mark"}) {
      if (std::filesystem::exists(path_ + suffix)) {
        std::filesystem::copy_file(path_ + suffix, next + suffix);
      }
    }
    path_ = next;
    cache_.move_to(next);
    check(process());
  }

  void close() {
    if (random_() % 3 == 0) cache_.fail(1);
    for (auto& each : processes_) each.reset();
    cache_.fail(0);
    check(process());
  }

  TempDir folder_;
  std::mt19937 random_;
  std::string path_;
  PageCache cache_;
  WatchedVfs watch_;
  std::vector<std::unique_ptr<SqliteStore>> dead_;
  std::array<std::unique_ptr<SqliteStore>, 2> processes_;
  std::uint64_t count_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::optional<Oid> tip_;
  bool is_failed_left_ = false;
};

}  // namespace

TEST_SUITE("store/failed_sync") {
  TEST_CASE("where syncs fail, no acknowledged commit is lost and no failed one is there") {
    int failures = 0;
    int cuts = 0;
    for (int round = 0; round < spoor::testing::rounds(60); ++round) {
      CAPTURE(round);
      Machine machine(spoor::testing::seeded(static_cast<std::uint32_t>(round)));
      for (int i = 0; i < 25; ++i) {
        CAPTURE(i);
        machine.step();
        if (i % 3 == 0) machine.cut_power();
      }
      failures += machine.failures;
      cuts += machine.cuts;
    }
    MESSAGE(failures << " commits failed, " << cuts << " cuts");
    CHECK(failures > 100);
  }
}
