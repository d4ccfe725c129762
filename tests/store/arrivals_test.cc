#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "store/fsck.h"
#include "store/gc.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/child.h"
#include "tests/store/chores.h"
#include "tests/store/database.h"
#include "tests/store/old_format.h"
#include "tests/store/row_bytes.h"
#include "tests/store/sample.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"
#include "tests/store/watched_vfs.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

std::unique_ptr<SqliteStore> open(const std::string& path) {
  return SqliteStore::open(path, {.durability = SqliteStore::Durability::normal}).value();
}

std::unique_ptr<SqliteStore> create(const std::string& path) {
  REQUIRE(SqliteStore::create(path));
  return open(path);
}

std::string ask(const std::string& path, const std::string& sql) {
  return Database(path).ask(sql).at(0);
}

void grow(Store& store, const std::string& branch, std::uint64_t from, std::uint64_t to,
          std::size_t size = 300) {
  const Reader reader(store);
  for (std::uint64_t i = from; i < to; ++i) {
    REQUIRE(append_turn(store, reader, branch_ref(branch), words_of(size, i)));
  }
}

void settle(SqliteStore& store) { REQUIRE(store.sweep({})); }

// All that a store says: every object, every ref, every operation, every branch's walk.
struct Said {
  std::map<Oid, Object> objects;
  std::map<std::string, Oid> refs;
  std::vector<Oid> operations;
  std::vector<std::string> walks;

  bool operator==(const Said&) const = default;
};

Said all_said(const Store& store) {
  Said said;
  REQUIRE(store.scan([&](const StoredObject& each) {
    CHECK(said.objects.emplace(each.oid, each.object).second);
    return true;
  }));
  for (const LoggedOperation& each : store.operations(0, 10'000).value()) {
    said.operations.push_back(each.name);
  }
  for (const Ref& ref : store.refs("").value()) {
    said.refs.emplace(ref.name, ref.target);
    REQUIRE(store.run(ref.target, 10'000, Store::kAllContents, [&](const Store::RunStep& step) {
      said.walks.push_back(step.oid.hex() + std::string(step.body) +
                           (step.content != nullptr ? step.content->body : "-"));
      return true;
    }));
  }
  for (const auto& [oid, object] : said.objects) {
    CHECK(store.get(std::array{oid}).value()[0] == object);
    CHECK(store.find(oid.hex().substr(0, 20), object.kind, 2).value() == std::vector{oid});
  }
  return said;
}

// The same deeds in a store, whatever its format. Oids are those of their texts, so they agree.
void do_at_random(SqliteStore& store, std::uint32_t seed, int deeds) {
  std::mt19937 random(seed);
  const Reader reader(store);
  for (int i = 0; i < deeds; ++i) {
    const std::string branch = branch_ref("b" + std::to_string(random() % 3));
    const std::size_t size = random() % 5 == 0 ? random() % 40'000 : random() % 900;
    const auto number = random() % 500;  // The same text comes again.
    switch (random() % 12) {
      case 0:
        REQUIRE(store.put(std::array{blob(words_of(size, number)), blob(words_of(9, number))}));
        break;
      case 1: {
        const auto tip = store.ref(branch).value();
        if (tip) {
          REQUIRE(store.commit(
              move_ref(branch_ref(fmt::format("fork/{}/{}", seed, i)), std::nullopt, tip, {})));
        }
        break;
      }
      case 2: {
        std::vector<NewObject> many;
        for (int k = 0; k < 40; ++k) many.push_back(blob(words_of(50, number + 1'000U + k)));
        REQUIRE(store.put(many));
        break;
      }
      default:
        REQUIRE(append_turn(store, reader, branch, words_of(size, number)));
    }
  }
}

// Where the columns that arrivals are in lie in the file, by operation.
std::map<std::uint64_t, std::vector<std::size_t>> places_of_arrivals(const std::string& path) {
  std::map<std::uint64_t, std::vector<std::size_t>> places;
  Database database(path);
  const auto root =
      database.ask("SELECT rootpage FROM sqlite_schema WHERE name='operations'").at(0);
  for (const auto& row : RowBytes::of_table(bytes_of(path), std::stoul(root))) {
    if (row.columns.size() < 7) continue;
    auto& of_row = places[row.key];
    for (const std::size_t column : {5U, 6U}) {
      for (const auto& some : {row.columns[column].type, row.columns[column].value}) {
        of_row.insert(of_row.end(), some.begin(), some.end());
      }
    }
  }
  return places;
}

// Is everything that the damaged store gives what the sound one had? What it does not give it says
// that it cannot, unless it was rebuilt from what was left.
void check_no_lie(const SqliteStore& store, const Said& sound, bool is_rebuilt) {
  for (const auto& [oid, object] : sound.objects) {
    const auto got = store.get(std::array{oid});
    if (!got) continue;
    CHECK((is_rebuilt || got.value()[0]));
    if (!got.value()[0]) continue;
    // Of bytes that are not its own the name tells, at which every reader looks.
    const Object& found = *got.value()[0];
    const bool is_right = found == object || object_name(found.kind, found.body) != oid;
    CHECK(is_right);
  }
  for (const auto& [name, target] : sound.refs) {
    (void)store.run(target, 1'000, Store::kAllContents, [&](const Store::RunStep& step) {
      const std::string body(step.body);
      const auto known = sound.objects.find(step.oid);
      REQUIRE(known != sound.objects.end());
      const bool is_right =
          known->second.body == body || object_name(Kind::commit, body) != step.oid;
      CHECK(is_right);
      return true;
    });
  }
}

}  // namespace

TEST_SUITE("store/arrivals") {
  TEST_CASE("a turn is one row, which everyone finds") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto writer = create(path);
    const auto reader = open(path);
    grow(*writer, "main", 0, 5);
    CHECK(ask(path, "SELECT count(*) FROM commits") == "0");
    CHECK(ask(path, "SELECT count(*) FROM objects") == "0");
    CHECK(ask(path, "SELECT count(*) FROM names") == "0");
    CHECK(ask(path, "SELECT count(*) FROM operations WHERE length(objects)>0") == "5");
    const Said said = all_said(*writer);
    CHECK(said.objects.size() == 10);
    CHECK(all_said(*reader) == said);
    CHECK(all_said(*open(path)) == said);
    CHECK(fsck(*reader)->is_sound());
  }

  TEST_CASE("once much has arrived it is settled, in the order of the branch") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    const auto reader = open(path);
    grow(*store, "main", 0, 500);
    CHECK(ask(path, "SELECT count(*) FROM commits") == "384");
    CHECK(ask(path, "SELECT count(*) FROM operations WHERE length(objects)>0") == "116");
    CHECK(ask(path, "SELECT count(DISTINCT place>>32) FROM commits") == "1");
    CHECK(all_said(*reader).walks.size() == 500);
    const Said said = all_said(*store);
    settle(*store);
    CHECK(ask(path, "SELECT count(DISTINCT place>>32) FROM commits") == "1");
    CHECK(ask(path, "SELECT count(*) FROM operations WHERE length(objects)+length(names)>0") ==
          "0");
    CHECK(all_said(*store) == said);
    CHECK(all_said(*reader) == said);
    CHECK(fsck(*open(path))->is_sound());
  }

  TEST_CASE("a large content has a row of its own, and is found beside what arrived") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    grow(*store, "main", 0, 2, 50'000);
    CHECK(ask(path, "SELECT count(*) FROM objects") == "2");
    CHECK(ask(path, "SELECT count(*) FROM commits") == "0");
    const Said said = all_said(*store);
    settle(*store);
    CHECK(all_said(*open(path)) == said);
  }

  TEST_CASE("commits of a large transaction go behind a parent that arrived") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    History history;
    REQUIRE(append(*store, history, "main", "first"));
    std::vector<NewObject> objects;
    Oid tip = history.last();
    const Oid before = tip;
    for (int i = 0; i < 30; ++i) {
      for (NewObject& each : history.turn(tip, std::to_string(i))) objects.push_back(each);
      tip = history.last();
    }
    REQUIRE(store->commit(move_ref(branch_ref("main"), before, tip, objects)));
    CHECK(ask(path, "SELECT count(*) FROM commits") == "31");
    CHECK(ask(path, "SELECT count(DISTINCT place>>32) FROM commits") == "1");
    CHECK(all_said(*open(path)).walks.size() == 31);
    CHECK(fsck(*open(path))->is_sound());
  }

  TEST_CASE("the same deeds in stores of all formats leave the same things") {
    for (int round = 0; round < spoor::testing::rounds(6); ++round) {
      const auto seed = spoor::testing::seeded(static_cast<std::uint64_t>(round));
      CAPTURE(seed);
      std::vector<Said> all;
      for (const std::int64_t format : {1, 3, 4}) {
        CAPTURE(format);
        const TempDir folder;
        const std::string path = folder / "store";
        { (void)create_old(path, format); }
        {
          const auto one = open(path);
          const auto other = open(path);
          do_at_random(*one, seed, 60);
          do_at_random(*other, seed + 1, 60);
          if (round % 3 == 1) CHECK(other->upgrade().value() == (format != 4));
          if (round % 3 == 2) REQUIRE(one->pack([] { return false; }));
          do_at_random(*one, seed + 2, 60);
          CHECK(all_said(*one) == all_said(*other));
        }
        const auto store = open(path);
        CHECK(fsck(*store)->is_sound());
        all.push_back(all_said(*store));
        REQUIRE(store->rebuild());
        CHECK(all_said(*store) == all.back());
        CHECK(fsck(*store)->is_sound());
      }
      // Times are the deeds' own, so the operations agree too.
      CHECK(all[0].objects == all[1].objects);
      CHECK(all[0].objects == all[2].objects);
      CHECK(all[0].refs == all[2].refs);
      CHECK(all[0].walks == all[2].walks);
      CHECK(all[0].operations.size() == all[2].operations.size());
    }
  }

  TEST_CASE("of each bit that is flipped in what arrived fsck says so, and nothing reads wrong") {
    const TempDir folder;
    const std::string path = folder / "store";
    {
      const auto store = create(path);
      grow(*store, "main", 0, 3, 60);
      grow(*store, "side", 3, 5, 5'000);
    }
    const Said sound = all_said(*open(path));
    Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
    const std::string bytes = bytes_of(path);
    std::mt19937 random(spoor::testing::seeded(5));
    for (const auto& [operation, places] : places_of_arrivals(path)) {
      for (int i = 0; i < spoor::testing::rounds(operation == 1 ? 400 : 60); ++i) {
        const std::size_t bit = random() % (places.size() * 8);
        const auto& shown = operation;
        CAPTURE(shown);
        CAPTURE(bit);
        std::string damaged = bytes;
        damaged[places[bit / 8]] = static_cast<char>(damaged[places[bit / 8]] ^ (1 << bit % 8));
        write_bytes(path, damaged);
        const auto store = open(path);
        const auto report = fsck(*store);
        REQUIRE(report);
        CHECK_FALSE(report->is_sound());
        check_no_lie(*store, sound, false);
        const auto rebuilt = store->rebuild();
        REQUIRE(rebuilt);
        check_no_lie(*store, sound, true);
        // One object at most is lost, or all of one row whose length was changed.
        std::size_t kept = 0;
        for (const auto& [oid, object] : sound.objects) {
          const auto got = store->get(std::array{oid});
          kept += got && got.value()[0] == object ? 1 : 0;
        }
        CHECK(kept + 2 >= sound.objects.size());
      }
    }
  }

  TEST_CASE("what was erased is in no byte of the file or its log") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    const std::string secret = "the passport number is 4711-0815";
    const Reader reader(*store);
    grow(*store, "main", 0, 3);
    const Oid tip = append_turn(*store, reader, branch_ref("main"), secret).value();
    grow(*store, "main", 4, 6);
    CHECK(bytes_of(path + "-wal").find(secret) != std::string::npos);
    CHECK(store->erase(std::array{blob(secret).oid}).value() == 1);
    CHECK(store->has(std::array{tip, blob(secret).oid}).value() == std::vector{true, false});
    REQUIRE(store->compact());
    CHECK(bytes_of(path).find(secret) == std::string::npos);
    CHECK(bytes_of(path + "-wal").find(secret) == std::string::npos);
  }

  TEST_CASE("an upgrade writes no row anew, and programs that have the store open go on") {
    for (const std::int64_t format : {1, 3}) {
      CAPTURE(format);
      const TempDir folder;
      const std::string path = folder / "store";
      const auto early = create_old(path, format);
      grow(*early, "main", 0, 300);
      const auto reader = open(path);
      const Said said = all_said(*reader);
      CHECK(open(path)->upgrade().value());
      CHECK_FALSE(open(path)->upgrade().value());
      CHECK(all_said(*reader) == said);
      CHECK(all_said(*early) == said);
      grow(*early, "main", 300, 310);
      CHECK(ask(path, "SELECT count(*) FROM operations WHERE length(objects)>0") == "10");
      CHECK(all_said(*reader) == all_said(*early));
      CHECK(fsck(*open(path))->is_sound());

      const std::string schema =
          "SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_schema "
          "ORDER BY name)";
      const std::string fresh = folder / "new";
      REQUIRE(SqliteStore::create(fresh));
      CHECK(ask(path, schema) == ask(fresh, schema));
    }
  }

  TEST_CASE("an upgrade that is killed at any write leaves a store of the old format or the new") {
    int kills = 0;
    std::set<std::string> formats;
    for (int variant = 0; kills < spoor::testing::rounds(200); ++variant) {
      const TempDir folder;
      const std::string sound = folder / "sound";
      {
        const auto store = create_old(sound, variant % 2 == 0 ? 1 : 3);
        grow(*store, "main", 0, 20 + static_cast<std::uint64_t>(variant) % 300);
        if (variant % 3 == 0) REQUIRE(store->pack([] { return false; }));
      }
      const Said said = all_said(*open(sound));
      bool is_done = false;
      for (int deed = 1; !is_done; ++deed) {
        const std::string path = folder / ("store" + std::to_string(deed));
        write_bytes(path, bytes_of(sound));
        Child child([&] {
          int deeds = 0;
          const WatchedVfs watch([&](WatchedVfs::Act, const std::string&) {
            if (++deeds == deed) raise(SIGKILL);
          });
          return open(path)->upgrade() ? 0 : 1;
        });
        is_done = child.wait() == 0;
        kills += is_done ? 0 : 1;
        const auto store = open(path);
        CHECK(all_said(*store) == said);
        CHECK(fsck(*store)->is_sound());
        formats.insert(ask(path, "PRAGMA user_version"));
        grow(*store, "main", 900, 902);
        CHECK(fsck(*store)->is_sound());
      }
    }
    CHECK(formats.contains("4"));
    CHECK(formats.size() == 3);
  }

  TEST_CASE("the names of operations that gc folds are kept, and damage to them is named") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    std::string names;
    for (int round = 0; round < 3; ++round) {
      History history;
      for (int i = 0; i < 10; ++i) {
        REQUIRE(append(*store, history, "b" + std::to_string(round), std::to_string(i),
                       at(round * 10 + i)));
      }
      const auto log = store->operations(0, 100).value();
      for (const LoggedOperation& each : log) {
        if (!parse_operation(each.body)->folded) names += each.name.view();
      }
      REQUIRE(collect_garbage(*store));
      CHECK(store->operations(0, 100).value().size() == 1);
      CHECK(ask(path, "SELECT group_concat(hex(names),'') FROM folded") ==
            ask(
                path, "SELECT hex(" + [&] {
                  std::string hex = "x'";
                  for (const unsigned char byte : names) hex += fmt::format("{:02x}", byte);
                  return hex + "'";
                }() + ")"));
      CHECK(fsck(*store)->is_sound());
    }
    for (const char* sql : {"DELETE FROM folded WHERE number=(SELECT max(number) FROM folded)",
                            "UPDATE folded SET names=substr(names,1,33)",
                            "UPDATE folded SET names=zeroblob(length(names))",
                            "DELETE FROM folded WHERE number=11"}) {
      CAPTURE(sql);
      const std::string copy = folder / "copy";
      write_bytes(copy, bytes_of(path));
      write_bytes(copy + "-wal", bytes_of(path + "-wal"));
      Database(copy).run(sql);
      CHECK_FALSE(open(copy)->check().value().empty());
      std::remove((copy + "-wal").c_str());
      std::remove((copy + "-shm").c_str());
    }
  }
}
