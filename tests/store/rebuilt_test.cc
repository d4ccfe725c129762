// rebuild makes every derived table again: row by row what it was, whatever was done to it.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "store/fsck.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/database.h"
#include "tests/store/story.h"
#include "tests/store/temp_dir.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

using Dump = std::map<std::string, std::vector<std::string>>;

// All that docs/format.md calls derived: three tables, a column of the log, and commits' places.
// Objects' handles are derived too, but rebuild keeps them.
const std::map<std::string, std::string> kDerived = {
    {"names", "SELECT hex(oid),handle FROM names ORDER BY oid"},
    {"refs", "SELECT name,hex(target) FROM refs ORDER BY name"},
    {"derived", "SELECT hex(key),hex(value) FROM derived ORDER BY key"},
    {"operations", "SELECT number,hex(names) FROM operations ORDER BY number"},
    {"commits", "SELECT place,hex(oid) FROM commits ORDER BY place"},
    {"objects", "SELECT handle,hex(oid) FROM objects ORDER BY handle"},
};

Dump dump_of(const std::string& path) {
  Dump dump;
  Database file(path);
  for (const auto& [table, sql] : kDerived) dump[table] = file.ask(sql);
  return dump;
}

void check_equal(const Dump& dump, const Dump& expected) {
  for (const auto& each : expected) {
    CAPTURE(each.first);
    CHECK((dump.at(each.first) == each.second));
  }
}

// What is asked by way of the derived tables.
std::vector<std::string> lookups(const Store& store, const World& world) {
  std::vector<std::string> answers;
  std::vector<Oid> oids;
  for (const NewObject& each : world.objects) oids.push_back(each.oid);
  const auto objects = store.get(oids).value();
  for (const auto& object : objects) answers.push_back(object ? object->body : "absent");
  for (const NewObject& each : world.objects) {
    for (const Oid& oid : store.find(each.oid.hex().substr(0, 6), each.kind, 9).value()) {
      answers.push_back(oid.hex());
    }
  }
  for (const Ref& ref : store.refs("").value()) {
    answers.push_back(ref.name + ' ' + ref.target.hex());
    if (ref.name.starts_with(tag_ref(""))) continue;
    REQUIRE(store.run(ref.target, 10'000, Store::kAllContents, [&](const Store::RunStep& step) {
      answers.push_back(step.oid.hex());
      answers.push_back(step.content != nullptr ? step.content->body : "no content");
      return true;
    }));
  }
  return answers;
}

void rebuild_file(const std::string& path) {
  REQUIRE(SqliteStore::open(path).value()->rebuild());
  const FsckReport report = fsck(*SqliteStore::open(path).value()).value();
  for (const auto& problem : report.problems)
    FAIL_CHECK(problem.subject << ": " << problem.message);
}

// A story, with what else a store may hold: a loose object, and something that a caller cached.
World write_kept_story(const std::string& path, bool is_packed) {
  World world = write_story(path);
  const auto store = SqliteStore::open(path).value();
  world.content("loose");
  REQUIRE(store->put(std::array{world.objects.back()}));
  REQUIRE(store->put_cached("key", "value"));
  if (is_packed) CHECK(store->pack([] { return false; })->rows > 300);
  return world;
}

// Two commits of the first segment change places.
std::string swap_places(int one, int other) {
  const std::string first = std::to_string((std::uint64_t{1} << 32U) + static_cast<unsigned>(one));
  const std::string second =
      std::to_string((std::uint64_t{1} << 32U) + static_cast<unsigned>(other));
  return "UPDATE commits SET place=7 WHERE place=" + first + ";UPDATE commits SET place=" + first +
         " WHERE place=" + second + ";UPDATE commits SET place=" + second + " WHERE place=7";
}

const std::vector<std::string> kDamages = {
    "DELETE FROM names",
    "DELETE FROM names WHERE handle%3=0",
    "UPDATE names SET handle=handle+1",
    "UPDATE names SET handle=7777 WHERE handle%2=0",
    "INSERT INTO names VALUES(zeroblob(6),1)",
    "INSERT INTO names VALUES(zeroblob(31),7777)",
    "INSERT INTO names SELECT oid,handle FROM objects",
    "DELETE FROM refs",
    "DELETE FROM refs WHERE name='refs/heads/main'",
    "UPDATE refs SET target=zeroblob(32)",
    "UPDATE refs SET target=zeroblob(31)",
    "INSERT INTO refs VALUES('refs/heads/extra',zeroblob(32))",
    "DELETE FROM derived",
    "DELETE FROM derived WHERE key=x'7372656673'",
    "UPDATE derived SET value=CAST('99' AS BLOB)",
    "UPDATE derived SET value=CAST('7777' AS BLOB)",
    "UPDATE derived SET value=CAST('x' AS BLOB)",
    "INSERT INTO derived VALUES(CAST('cextra' AS BLOB),x'00')",
    "INSERT INTO derived VALUES(CAST('sextra' AS BLOB),x'00')",
    "UPDATE operations SET names=zeroblob(40)",
    "UPDATE operations SET names=zeroblob(39) WHERE number%2=0",
    "UPDATE operations SET names=CAST(name||x'0000000000000002' AS BLOB)",
    "DELETE FROM names; DELETE FROM refs; DELETE FROM derived",
    swap_places(30, 31),
    swap_places(10, 70),
};

// After these the rows may lie otherwise than before, and rightly: places that obey the rules stay,
// and of two commits with one parent nothing but their places says which came first.
const std::vector<std::string> kOtherOrders = {
    "UPDATE commits SET place=place+(7<<32) WHERE place>>32=1 AND place&0xffffffff<40",
    "UPDATE commits SET place=((1<<33)-(place>>32<<32))|(place&0xffffffff)|(1<<40)",
    "UPDATE commits SET place=(9<<32)+1 WHERE place=(SELECT max(place) FROM commits)",
    "UPDATE commits SET place=place>>32 WHERE place=(SELECT max(place) FROM commits)",
    "UPDATE commits SET place=-place",
};

}  // namespace

TEST_SUITE("store/rebuilt") {
  TEST_CASE("what is rebuilt twice is the same, and answers what the store answered before") {
    for (const bool is_packed : {false, true}) {
      CAPTURE(is_packed);
      const TempDir folder;
      const std::string path = folder / "store";
      const World world = write_kept_story(path, is_packed);
      const auto before = lookups(*SqliteStore::open(path).value(), world);
      const Dump written = dump_of(path);
      rebuild_file(path);
      const Dump rebuilt = dump_of(path);
      CHECK((lookups(*SqliteStore::open(path).value(), world) == before));
      // What operations carried is in the table now, the snapshot is the newest, the cache is gone.
      CHECK((rebuilt.at("commits") == written.at("commits")));
      CHECK((rebuilt.at("objects") == written.at("objects")));
      CHECK(rebuilt.at("names").size() > written.at("names").size());
      CHECK(rebuilt.at("names").size() == 2 * world.objects.size());
      CHECK(rebuilt.at("refs").size() == 2 * world.refs.size());
      // Two numbers and the seal of the refs; how far it was packed is a local fact, with a seal.
      CHECK(rebuilt.at("derived").size() == (is_packed ? 8 : 6));
      rebuild_file(path);
      check_equal(dump_of(path), rebuilt);
    }
  }

  TEST_CASE("whatever is done to a derived table, rebuild restores it row by row") {
    for (const bool is_packed : {false, true}) {
      CAPTURE(is_packed);
      const TempDir folder;
      const std::string path = folder / "store";
      const World world = write_kept_story(path, is_packed);
      const auto before = lookups(*SqliteStore::open(path).value(), world);
      rebuild_file(path);
      const Dump rebuilt = dump_of(path);
      for (const std::string& damage : kDamages) {
        CAPTURE(damage);
        Database(path).run(damage);
        CHECK((dump_of(path) != rebuilt));
        rebuild_file(path);
        check_equal(dump_of(path), rebuilt);
        CHECK((lookups(*SqliteStore::open(path).value(), world) == before));
      }
      for (const std::string& damage : kOtherOrders) {
        CAPTURE(damage);
        Database(path).run(damage);
        rebuild_file(path);
        Dump dump = dump_of(path);
        dump["commits"] = rebuilt.at("commits");
        dump["names"] = rebuilt.at("names");
        check_equal(dump, rebuilt);
        CHECK((lookups(*SqliteStore::open(path).value(), world) == before));
      }
    }
  }
}
