// What docs/durability.md promises of a file that nobody has open, and of one that lost its log.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/fsck.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/child.h"
#include "tests/store/sample.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

namespace fs = std::filesystem;

Result<void> append_to(Store& store, const std::string& branch, std::string_view text) {
  const Reader reader(store);
  TRY(append_turn(store, reader, branch_ref(branch), text));
  return {};
}

// A process that commits one turn and is killed.
void commit_and_die(const std::string& path) {
  Child child([&] {
    const auto store = SqliteStore::open(path);
    if (!store || !append_to(**store, "main", "a turn")) return 1;
    _exit(7);  // Nothing is closed.
  });
  REQUIRE(child.wait() == 7);
}

// The file alone, under another name.
std::string copy_alone(const std::string& path) {
  fs::copy_file(path, path + ".copy", fs::copy_options::overwrite_existing);
  return path + ".copy";
}

std::uint64_t operations_of(const std::string& path) {
  const auto store = SqliteStore::open(path);
  REQUIRE_MESSAGE(store, store.error().message);
  CHECK(fsck(**store)->is_sound());
  return fsck(**store)->operations;
}

std::string log_problem(const std::string& path) {
  const auto store = SqliteStore::open(path, {.accepts_cut_log = true});
  REQUIRE(store);
  const FsckReport report = fsck(**store).value();
  for (const auto& problem : report.problems) {
    if (problem.subject == "log") return problem.message;
  }
  return "";
}

}  // namespace

TEST_SUITE("store/at_rest") {
  TEST_CASE("the last process that closes leaves nothing in the log") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    auto first = SqliteStore::open(path).value();
    auto second = SqliteStore::open(path).value();
    REQUIRE(append_to(*first, "main", "one"));
    REQUIRE(append_to(*second, "main", "two"));
    first.reset();
    CHECK(fs::file_size(path + "-wal") > 0);  // It is not the last.
    second.reset();
    CHECK(fs::file_size(path + "-wal") == 0);
    CHECK(operations_of(copy_alone(path)) == 2);
  }

  TEST_CASE("of those that close at once one leaves nothing in the log") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    int left = 0;
    for (int round = 0; round < 200; ++round) {
      std::vector<std::unique_ptr<SqliteStore>> stores;
      for (int i = 0; i < 4; ++i) stores.push_back(SqliteStore::open(path).value());
      REQUIRE(append_to(*stores[0], "main", std::to_string(round)));
      for (const auto& each : stores) REQUIRE(each->refs("").value().size() == 1);
      std::latch all_are_here(4);
      std::vector<std::thread> threads;
      for (auto& each : stores) {
        threads.emplace_back([&all_are_here, &each] {
          all_are_here.arrive_and_wait();
          each.reset();
        });
      }
      for (std::thread& each : threads) each.join();
      if (fs::file_size(path + "-wal") > 0) ++left;
    }
    CHECK(left == 0);
  }

  TEST_CASE("who only read and closes last brings in what others left in the log") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    commit_and_die(path);
    CHECK(fs::file_size(path + "-wal") > 0);
    CHECK(SqliteStore::open(path).value()->refs("").value().size() == 1);
    CHECK(operations_of(copy_alone(path)) == 1);
  }

  TEST_CASE("a file that was copied without the log it needs is refused, and fsck names it") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    commit_and_die(path);
    const std::string copy = copy_alone(path);
    const auto refused = SqliteStore::open(copy);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::corrupt);
    CHECK(refused.error().message.find("was cut from the store") != std::string::npos);
    const std::string bytes = bytes_of(copy);
    CHECK(log_problem(copy).find("was cut from the store") == 0);
    CHECK(bytes_of(copy) == bytes);

    // With its log beside it, it is whole.
    fs::copy_file(path + "-wal", copy + "-wal", fs::copy_options::overwrite_existing);
    CHECK(operations_of(copy) == 1);
  }

  TEST_CASE("a file without its log is not written before it is rebuilt") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    commit_and_die(path);
    const std::string copy = copy_alone(path);
    {
      const auto store = SqliteStore::open(copy, {.accepts_cut_log = true}).value();
      CHECK_FALSE(append_to(*store, "main", "lost"));
      REQUIRE(store->rebuild());
      CHECK(append_to(*store, "main", "new"));
    }
    CHECK(operations_of(copy) == 1);
  }

  TEST_CASE("what empties the log beside a reader leaves a file that knows it needs it") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    const auto store = SqliteStore::create(path).value();
    REQUIRE(append_to(*store, "main", "one"));
    const auto reader = SqliteStore::open(path).value();
    // A reader in the middle of a call keeps the log from being cut.
    REQUIRE(reader->scan([&](const StoredObject&) {
      REQUIRE(append_to(*store, "main", "two"));
      CHECK(store->erase(std::array{blob("nothing").oid}).has_value());
      REQUIRE(store->put(std::array{blob("gone")}));
      CHECK(store->erase(std::array{blob("gone").oid}).value() == 1);
      return false;
    }));
    REQUIRE(fs::file_size(path + "-wal") > 0);
    CHECK_FALSE(SqliteStore::open(copy_alone(path)));
  }
}
