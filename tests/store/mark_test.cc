// What docs/durability.md promises of the mark: a log that lost its end is refused and named.
#include "store/sqlite/mark.h"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/fsck.h"
#include "store/gc.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/child.h"
#include "tests/store/chores.h"
#include "tests/store/sample.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"
#include "tests/store/watched_vfs.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;
using sqlite::Mark;

namespace {

namespace fs = std::filesystem;
using Durability = SqliteStore::Durability;

Result<void> append_to(Store& store, std::string_view text) {
  const Reader reader(store);
  TRY(append_turn(store, reader, branch_ref("main"), text));
  return {};
}

// A store with four operations in its log, whose process was killed.
std::string killed_store(const TempDir& folder, Durability durability = Durability::full) {
  const std::string path = folder / "store.spoor";
  REQUIRE(SqliteStore::create(path));
  Child child([&] {
    const auto store = SqliteStore::open(path, {.durability = durability});
    for (int i = 0; i < 4; ++i) {
      if (!append_to(**store, text_of(3'000, static_cast<std::uint64_t>(i)))) return 1;
    }
    _exit(7);
  });
  REQUIRE(child.wait() == 7);
  return path;
}

FsckReport report_of(const std::string& path) {
  const auto store = SqliteStore::open(path, {.accepts_cut_log = true});
  REQUIRE_MESSAGE(store, store.error().message);
  return fsck(**store).value();
}

std::string problems_with(const FsckReport& report, std::string_view subject) {
  std::string all;
  for (const auto& each : report.problems) {
    if (each.subject == subject) all += each.message + "\n";
  }
  return all;
}

std::string remarks_on(const FsckReport& report, std::string_view subject) {
  std::string all;
  for (const auto& each : report.remarks) {
    if (each.subject == subject) all += each.message + "\n";
  }
  return all;
}

Mark mark_of(const std::string& path) { return sqlite::read_mark(path).value().value(); }

}  // namespace

TEST_SUITE("store/mark") {
  TEST_CASE("a mark is read as it was written, and no bit of it can change unseen") {
    Mark mark{137, blob("x").oid, {{1, 2, 3, 4, 5, 6, 7, 255}, 4'000'000'000}, false};
    const std::string text = sqlite::serialize(mark);
    CHECK(text.size() == sqlite::kMarkSize);
    CHECK(sqlite::parse_mark(text).value() == mark);
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
      std::string damaged = text;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      CHECK_FALSE(sqlite::parse_mark(damaged));
    }
    for (std::size_t size = 0; size < text.size(); ++size) {
      CHECK_FALSE(sqlite::parse_mark(text.substr(0, size)));
    }
  }

  TEST_CASE("a commit syncs the log once, and then writes the mark") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    std::vector<std::pair<WatchedVfs::Act, std::string>> deeds;
    const WatchedVfs watch([&](WatchedVfs::Act act, const std::string& file) {
      deeds.emplace_back(act, file.substr(path.size()));
    });
    const auto store = SqliteStore::open(path).value();
    REQUIRE(append_to(*store, "the first, which begins the log"));
    deeds.clear();
    REQUIRE(append_to(*store, "the second"));
    using Act = WatchedVfs::Act;
    REQUIRE(deeds.size() > 2);
    const std::size_t last = deeds.size() - 1;
    CHECK(deeds[last] == std::pair{Act::write, std::string("-mark")});
    CHECK(deeds[last - 1] == std::pair{Act::sync, std::string("-wal")});
    for (std::size_t i = 0; i + 1 < last; ++i) {
      CHECK(deeds[i] == std::pair{Act::write, std::string("-wal")});
    }
    CHECK(mark_of(path).number == 2);
    CHECK(mark_of(path).name == store->newest_operation().value()->name);
  }

  TEST_CASE("a log that was cut, zeroed or taken away is refused, with what is missing") {
    using Damage = std::function<void(const std::string& log)>;
    const std::vector<std::pair<Damage, std::string>> damages = {
        {[](const std::string& log) { fs::resize_file(log, fs::file_size(log) - 1); },
         "1 operation is missing"},
        {[](const std::string& log) { fs::resize_file(log, 0); }, "4 operations are missing"},
        {[](const std::string& log) { fs::remove(log); }, "4 operations are missing"},
        {[](const std::string& log) { write_bytes(log, std::string(fs::file_size(log), '\0')); },
         "4 operations are missing"},
    };
    for (const auto& [damage, message] : damages) {
      const TempDir folder;
      const std::string path = killed_store(folder);
      damage(path + "-wal");
      const auto refused = SqliteStore::open(path);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == Error::Code::corrupt);
      CHECK(refused.error().message.find(message) != std::string::npos);
      CHECK(problems_with(report_of(path), "log").find(message) != std::string::npos);
      CHECK_FALSE(SqliteStore::open(path));  // Nobody has mended it by looking.
      {
        const auto store = SqliteStore::open(path, {.accepts_cut_log = true}).value();
        CHECK_FALSE(append_to(*store, "not before it is rebuilt"));
        REQUIRE(store->rebuild());
        CHECK(append_to(*store, "after"));
      }
      CHECK(report_of(path).is_sound());
      CHECK(SqliteStore::open(path));
    }
  }

  TEST_CASE("a local fact that was cut from the log is missed, too") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    Child child([&] {
      const auto store = SqliteStore::open(path).value();
      if (!append_to(*store, "a turn") || !store->set_local("HEAD", "elsewhere")) return 1;
      _exit(7);
    });
    REQUIRE(child.wait() == 7);
    fs::resize_file(path + "-wal", fs::file_size(path + "-wal") - 1);
    const auto refused = SqliteStore::open(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("frames are missing") != std::string::npos);
  }

  TEST_CASE("with durability normal, what is missing is a remark") {
    const TempDir folder;
    const std::string path = killed_store(folder, Durability::normal);
    fs::resize_file(path + "-wal", fs::file_size(path + "-wal") - 1);
    const FsckReport report = report_of(path);
    CHECK(report.is_sound());
    CHECK(remarks_on(report, "log").find("1 operation is missing, which durability 'normal'") !=
          std::string::npos);
    CHECK(report.operations == 3);
  }

  TEST_CASE("a mark that is missing or damaged is no obstacle, and fsck names it") {
    const TempDir folder;
    const std::string path = killed_store(folder);
    fs::remove(path + "-mark");
    FsckReport report = FsckReport();
    {
      const auto store = SqliteStore::open(path).value();
      report = fsck(*store).value();
      CHECK(store->refs("").value().size() == 1);
    }
    CHECK(report.is_sound());
    CHECK_FALSE(remarks_on(report, "mark").empty());

    std::string mark = sqlite::serialize({1, blob("x").oid, {}, true});
    mark[20] ^= 1;
    write_bytes(path + "-mark", mark);
    CHECK(SqliteStore::open(path).value()->refs("").value().size() == 1);
    CHECK(problems_with(report_of(path), "mark") == "the store's mark is damaged\n");
    REQUIRE(append_to(*SqliteStore::open(path).value(), "mends it"));
    CHECK(problems_with(report_of(path), "mark").empty());
    CHECK(mark_of(path).number == 5);
  }

  TEST_CASE("the mark of another store is named") {
    const TempDir folder;
    const std::string path = killed_store(folder);
    REQUIRE(SqliteStore::open(path));
    const TempDir elsewhere;
    const std::string other = elsewhere / "other.spoor";
    const auto store = SqliteStore::create(other).value();
    for (int i = 0; i < 6; ++i) REQUIRE(append_to(*store, "another turn"));
    fs::copy_file(path + "-mark", other + "-mark", fs::copy_options::overwrite_existing);
    const auto refused = SqliteStore::open(other);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("operation 4 is another") != std::string::npos);
  }

  TEST_CASE("several writers leave one mark, which names the newest operation") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    std::vector<Child> writers;
    for (int i = 0; i < 3; ++i) {
      writers.emplace_back([&path, i] {
        const auto store = SqliteStore::open(path).value();
        const Reader reader(*store);
        for (int k = 0; k < 20; ++k) {
          const std::string ref = branch_ref("b" + std::to_string(i));
          if (!append_turn(*store, reader, ref, std::to_string(k))) return 1;
        }
        return 0;
      });
    }
    for (Child& each : writers) CHECK(each.wait() == 0);
    const auto store = SqliteStore::open(path).value();
    CHECK(mark_of(path).number == 60);
    CHECK(mark_of(path).name == store->newest_operation().value()->name);
    CHECK(mark_of(path).log.frames == 0);  // All of it is in the file.
  }

  TEST_CASE("after gc has folded the log, the mark is of what is left") {
    const TempDir folder;
    const std::string path = killed_store(folder);
    {
      const auto store = SqliteStore::open(path).value();
      REQUIRE(collect_garbage(*store));
      CHECK(SqliteStore::open(path));
    }
    CHECK(report_of(path).is_sound());
    CHECK(SqliteStore::open(path));
  }

  TEST_CASE("a log that a reader kept from being emptied is not written again") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    std::size_t written = 0;
    const WatchedVfs watched(WatchedVfs::Gate([&written](const WatchedVfs::Deed& deed) {
      if (deed.path.ends_with("-wal")) written += deed.bytes.size();
      return SQLITE_OK;
    }));
    const auto store = SqliteStore::create(path).value();
    for (std::uint64_t i = 0; i < 100; ++i) REQUIRE(append_to(*store, text_of(3'000, i)));
    const auto reader = SqliteStore::open(path, {.mode = SqliteStore::Mode::read_only}).value();
    REQUIRE(reader->scan([&store](const StoredObject&) {
      REQUIRE(collect_garbage(*store));
      return false;
    }));
    REQUIRE(fs::file_size(path + "-wal") > 500'000);

    const auto other = SqliteStore::open(path).value();
    written = 0;
    REQUIRE(append_to(*other, "next"));
    CHECK(written < 100'000);
    CHECK(report_of(path).problems.empty());
  }

  TEST_CASE("a new store has nothing to do with the mark of one that was") {
    const TempDir folder;
    const std::string path = killed_store(folder);
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path + suffix);
    REQUIRE(SqliteStore::create(path));
    CHECK(report_of(path).remarks.empty());
  }

  TEST_CASE("each bit that is flipped in the log is refused, and fsck names it") {
    const TempDir folder;
    const std::string path = killed_store(folder);
    std::map<std::string, std::string> sound;
    for (const char* suffix : {"", "-wal", "-mark"}) sound[suffix] = bytes_of(path + suffix);
    const std::size_t size = sound["-wal"].size();
    std::mt19937 random(spoor::testing::seeded(11));
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < 32; ++at) places.push_back(at);  // Its header.
    for (std::size_t at = 32; at < size; at += 4'120) places.push_back(at + random() % 24);
    for (int i = 0; i < spoor::testing::rounds(100); ++i) places.push_back(random() % size);
    for (const std::size_t at : places) {
      CAPTURE(at);
      for (const auto& [suffix, bytes] : sound) write_bytes(path + suffix, bytes);
      fs::remove(path + "-shm");
      std::string log = sound["-wal"];
      log[at] = static_cast<char>(log[at] ^ (1 << random() % 8));
      write_bytes(path + "-wal", log);
      CHECK_FALSE(SqliteStore::open(path));
      const std::string told = problems_with(report_of(path), "log");
      const std::string frame = "its frame " + std::to_string((at - 32) / 4'120 + 1) + " is";
      CHECK(told.find(at < 32 ? "its header is damaged" : frame) != std::string::npos);
      CHECK(bytes_of(path + "-wal") == log);
    }
    MESSAGE(places.size() << " bits of " << size << " bytes");
  }

  TEST_CASE("a transaction whose process was killed on the way is no damage") {
    const TempDir folder;
    const std::string path = killed_store(folder);
    // The last frame of the last transaction is missing, and its mark was not written.
    Mark mark = mark_of(path);
    fs::resize_file(path + "-wal", fs::file_size(path + "-wal") - 4'120);
    mark.number = 3;
    {
      const auto store = SqliteStore::open(path, {.accepts_cut_log = true}).value();
      mark.name = store->newest_operation().value()->name;
    }
    mark.log.frames = 1;
    write_bytes(path + "-mark", sqlite::serialize(mark));
    // The next writer's transaction is shorter than what lies there.
    Child child([&] {
      if (!SqliteStore::open(path).value().release()->set_local("x", "y")) return 1;
      _exit(7);
    });
    REQUIRE(child.wait() == 7);
    REQUIRE(fs::file_size(path + "-wal") > 0);
    const FsckReport report = report_of(path);
    CHECK(report.is_sound());
    CHECK(report.remarks.empty());
  }
}
