// The index in two parts: the table, and what operations carry.
#include <doctest/doctest.h>

#include <set>

#include "store/fsck.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/database.h"
#include "tests/store/old_format.h"
#include "tests/store/sample.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

using Options = SqliteStore::Options;

std::unique_ptr<SqliteStore> open(const std::string& path) {
  return SqliteStore::open(path, Options{.durability = SqliteStore::Durability::normal}).value();
}

std::unique_ptr<SqliteStore> create(const std::string& path) { return create_old(path); }

std::string count(const std::string& path, const std::string& what) {
  return Database(path).ask("SELECT count(*) FROM " + what)[0];
}

bool has(const SqliteStore& store, const Oid& oid) { return store.has(std::array{oid}).value()[0]; }

// Where in the file the header of an operation's row ends, with what tells the size of `names`: the
// first of its bytes, and the one behind them.
std::pair<std::size_t, std::size_t> names_header(const std::string& file, const Oid& operation,
                                                 bool carries) {
  for (std::size_t at = file.find(operation.view()); at != file.npos;
       at = file.find(operation.view(), at + 1)) {
    for (std::size_t size = 6; size <= 10; ++size) {
      const std::string_view header = std::string_view(file).substr(at - size, size);
      // It begins with its own length; the key and a blob of 32 bytes follow.
      if (header[0] != static_cast<char>(size) || header[1] != 0 || header[2] != 0x4c) continue;
      return {at - (carries ? 2 : 1), at};
    }
  }
  throw std::logic_error("no row of " + operation.hex());
}

// What the refs name, and the commits of `main` with what they say.
std::vector<std::string> all_said(const SqliteStore& store) {
  std::vector<std::string> all;
  for (const Ref& ref : store.refs("").value()) all.push_back(ref.name + " " + ref.target.hex());
  const Oid tip = store.ref(branch_ref("main")).value().value();
  store
      .run(tip, 1'000, Store::kAllContents,
           [&all](const Store::RunStep& step) {
             all.push_back(step.oid.hex());
             if (step.content != nullptr) all.push_back(step.content->body);
             return true;
           })
      .value();
  return all;
}

// Each bit, one at a time: fsck names the operation, and a rebuild mends the store.
void check_flips_of_names(const std::string& path) {
  Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string sound = bytes_of(path);
  const auto log = open(path)->operations(0, 100).value();
  const auto said = all_said(*open(path));
  for (const LoggedOperation& each : log) {
    const bool carries = each.number != log.back().number;
    const auto [begin, end] = names_header(sound, each.name, carries);
    const std::size_t first = begin * 8;
    for (std::size_t bit = first; bit < end * 8; ++bit) {
      CAPTURE(each.number);
      CAPTURE(bit - first);
      std::string damaged = sound;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      write_bytes(path, damaged);
      {
        const auto store = open(path);
        const auto report = fsck(*store);
        REQUIRE_MESSAGE(report, (report ? "" : report.error().message));
        const std::string subject = "operation " + std::to_string(each.number);
        std::size_t named = 0;
        for (const auto& problem : report->problems) named += problem.subject == subject ? 1 : 0;
        CHECK(named == 1);
        const auto rebuilt = store->rebuild();
        REQUIRE_MESSAGE(rebuilt, (rebuilt ? "" : rebuilt.error().message));
        CHECK(fsck(*store)->is_sound());
      }
      CHECK(all_said(*open(path)) == said);
      Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
    }
  }
}

}  // namespace

TEST_SUITE("store/names") {
  TEST_CASE("a commit's names are carried by its operation, and found by everyone") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto writer = create(path);
    const auto reader = open(path);
    History history;
    for (int i = 0; i < 5; ++i) {
      REQUIRE(append(*writer, history, "main", std::to_string(i)));
      CHECK(has(*writer, history.last()));
      CHECK(has(*reader, history.last()));
      CHECK(has(*reader, blob(std::to_string(i)).oid));
      CHECK(reader->find(history.last().hex(), Kind::commit, 2).value().size() == 1);
    }
    CHECK(count(path, "names") == "0");
    CHECK(count(path, "operations WHERE length(names)=2*40") == "5");
    CHECK(fsck(*reader)->is_sound());
  }

  TEST_CASE("once many are carried they move to the table, and nothing is lost on the way") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto first = create(path);
    const auto second = open(path);
    History history;
    std::vector<Oid> all;
    for (int i = 0; i < 1'000; ++i) {
      REQUIRE(append(i % 7 == 0 ? *second : *first, history, "main", std::to_string(i)));
      all.push_back(history.last());
      if (i % 100 == 50) CHECK(has(*second, all[static_cast<std::size_t>(i / 2)]));
    }
    CHECK(std::stoi(count(path, "names")) >= 768);
    CHECK(std::stoi(count(path, "names")) < 2'000);
    for (const auto* store : {first.get(), second.get()}) {
      for (const Oid& oid : all) REQUIRE(has(*store, oid));
    }
    std::set<Oid> found;
    for (const char* digits = "0123456789abcdef"; *digits != 0; ++digits) {
      for (const Oid& oid : open(path)->find(std::string(1, *digits), Kind::commit, 9'999).value())
        found.insert(oid);
    }
    CHECK(found == std::set<Oid>(all.begin(), all.end()));
    CHECK(fsck(*open(path))->is_sound());
  }

  TEST_CASE("an object that is carried is not stored twice") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    History history;
    REQUIRE(append(*store, history, "main", "same"));
    REQUIRE(append(*store, history, "main", "same"));
    REQUIRE(store->put(std::array{blob("same")}));
    REQUIRE(open(path)->put(std::array{blob("same")}));
    CHECK(count(path, "objects") == "1");
    CHECK(count(path, "commits") == "2");
  }

  TEST_CASE("many objects in one transaction go to the table at once") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    std::vector<NewObject> objects;
    for (int i = 0; i < 100; ++i) objects.push_back(blob(std::to_string(i)));
    objects.push_back(objects[3]);  // Twice in one transaction.
    const Oid tip = objects[0].oid;
    REQUIRE(store->commit(move_ref(branch_ref("x"), {}, tip, std::move(objects))));
    CHECK(count(path, "names") == "100");
    CHECK(count(path, "operations WHERE length(names)=0") == "1");
    CHECK(has(*store, blob("99").oid));
  }

  TEST_CASE("a transaction that was refused leaves no name behind") {
    const TempDir folder;
    const auto store = create(folder / "store");
    History history;
    REQUIRE(append(*store, history, "main", "there"));
    auto transaction = move_ref(branch_ref("main"), {}, blob("x").oid, {blob("x")});
    REQUIRE_FALSE(store->commit(transaction));
    CHECK_FALSE(has(*store, blob("x").oid));
    transaction.refs[0].name = "not a ref";
    REQUIRE_FALSE(store->commit(transaction));
    CHECK_FALSE(has(*store, blob("x").oid));
    REQUIRE(append(*store, history, "main", "x"));
    CHECK(has(*store, blob("x").oid));
    CHECK(fsck(*store)->is_sound());
  }

  TEST_CASE("what is carried can be erased") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    const auto other = open(path);
    History history;
    REQUIRE(append(*store, history, "main", "keep"));
    REQUIRE(append(*store, history, "main", "drop"));
    CHECK(has(*other, blob("drop").oid));
    REQUIRE(store->erase(std::array{blob("drop").oid}).value() == 1);
    for (const auto* each : {store.get(), other.get()}) {
      CHECK_FALSE(has(*each, blob("drop").oid));
      CHECK(has(*each, blob("keep").oid));
      CHECK(has(*each, history.last()));
    }
  }

  TEST_CASE("after a rebuild every connection asks the table") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    const auto other = open(path);
    History history;
    REQUIRE(append(*store, history, "main", "one"));
    CHECK(has(*other, history.last()));
    REQUIRE(store->rebuild());
    CHECK(count(path, "operations WHERE length(names)>0") == "0");
    CHECK(count(path, "names") == "2");
    CHECK(has(*other, history.last()));
    REQUIRE(append(*other, history, "main", "two"));
    CHECK(has(*store, history.last()));
    CHECK(fsck(*store)->is_sound());
  }

  TEST_CASE("damage to what is carried is found, and a rebuild mends it") {
    for (const char* sql :
         {"UPDATE operations SET names=x'00' WHERE number=2",
          "UPDATE operations SET names=zeroblob(40) WHERE number=2",
          "UPDATE operations SET names=x'' WHERE number=2",
          "UPDATE operations SET names=(SELECT names FROM operations WHERE number=1) "
          "WHERE number=2",
          "INSERT INTO derived VALUES(CAST('snames' AS BLOB),CAST('2' AS BLOB))",
          "INSERT INTO derived VALUES(CAST('snames' AS BLOB),CAST('x' AS BLOB))"}) {
      CAPTURE(sql);
      const TempDir folder;
      const std::string path = folder / "store";
      History history;
      {
        const auto store = create(path);
        for (int i = 0; i < 3; ++i) REQUIRE(append(*store, history, "main", std::to_string(i)));
      }
      Database(path).run(sql);
      CHECK_FALSE(open(path)->check().value().empty());
      REQUIRE(open(path)->rebuild());
      CHECK(open(path)->check().value().empty());
      CHECK(has(*open(path), blob("1").oid));
    }
  }

  TEST_CASE("damage to what is carried hides no other damage") {
    const TempDir folder;
    const std::string path = folder / "store";
    History history;
    {
      const auto store = create(path);
      for (int i = 0; i < 3; ++i) REQUIRE(append(*store, history, "main", std::to_string(i)));
    }
    Database(path).run(
        "UPDATE operations SET names=x'00' WHERE number=1;"
        "UPDATE objects SET size=99 WHERE handle=3");
    const std::string damaged = blob("2").oid.hex();
    bool is_named = false;
    for (const auto& each : open(path)->check().value()) {
      is_named |= each.subject == damaged || each.problem.find("unpack") != std::string::npos;
    }
    CHECK(is_named);
  }

  TEST_CASE("a flipped bit in the length of what is carried is found, and a rebuild mends it") {
    const TempDir folder;
    const std::string path = folder / "store";
    bool is_packed = false;
    SUBCASE("") {}
    SUBCASE("packed") { is_packed = true; }
    {
      const auto store = create(path);
      const Reader reader(*store);
      std::optional<Oid> tip;
      for (std::uint64_t i = 0; i < 8; ++i) {
        tip = append_turn(*store, reader, branch_ref("main"), words_of(2'900, i)).value();
      }
      REQUIRE(store->commit(move_ref(branch_ref("side"), std::nullopt, tip)));
      if (is_packed) CHECK(store->pack([] { return false; })->rows > 0);
    }
    check_flips_of_names(path);
  }

  TEST_CASE("a name in both parts is one name") {
    const TempDir folder;
    const std::string path = folder / "store";
    History history;
    REQUIRE(append(*create(path), history, "main", "one"));
    Database(path).run(
        "INSERT INTO names SELECT oid,place FROM commits;"
        "INSERT INTO names SELECT oid,handle FROM objects");
    CHECK(open(path)->find(history.last().hex().substr(0, 10), Kind::commit, 2).value().size() ==
          1);
  }

  TEST_CASE("names that begin alike are kept apart") {
    // Found by trying: their names have the first six bytes in common.
    const std::vector<NewObject> both = {blob("alike 286465"), blob("alike 25335803")};
    REQUIRE(both[0].oid.hex(12) == both[1].oid.hex(12));
    const TempDir folder;
    const std::string path = folder / "store";
    const auto found = [&] {  // Which of the two, by their names and by what they begin with.
      const auto store = open(path);
      std::string which;
      for (const NewObject& each : both) {
        const auto got = store->get(std::array{each.oid}).value()[0];
        if (got) which += got->body.back();
        CHECK(has(*store, each.oid) == got.has_value());
      }
      CHECK(store->find(both[0].oid.hex(12), Kind::blob, 9).value().size() == which.size());
      CHECK(store->check()->empty());
      return which;
    };
    REQUIRE(create(path)->put(std::array{both[0]}));
    CHECK(found() == "5");
    REQUIRE(open(path)->put(both));  // One is there.
    CHECK(found() == "53");
    CHECK(count(path, "objects") == "2");
    CHECK(count(path, "names WHERE length(oid)=6") == "1");
    REQUIRE(open(path)->erase(std::array{both[0].oid}));  // The one with the short key.
    CHECK(found() == "3");
    REQUIRE(open(path)->put(both));
    CHECK(found() == "53");
    REQUIRE(open(path)->rebuild());
    CHECK(found() == "53");
    REQUIRE(open(path)->sweep({.objects = {both[1].oid}}));
    CHECK(found() == "5");
  }

  TEST_CASE("names that begin alike are kept apart while operations carry them") {
    const std::vector<NewObject> both = {blob("alike 1398464"), blob("alike 21275676")};
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = create(path);
    History history;
    for (const char* text : {"alike 1398464", "alike 21275676"}) {
      REQUIRE(append(*store, history, "main", text));
    }
    const auto check_both = [&] {
      for (const NewObject& each : both) CHECK(has(*open(path), each.oid));
      CHECK(fsck(*open(path))->is_sound());
    };
    check_both();
    REQUIRE(store->rebuild());
    check_both();
  }

  TEST_CASE("an object whose name was damaged is no other object, and no garbage") {
    const TempDir folder;
    const std::string path = folder / "store";
    const NewObject object = blob("a text");
    REQUIRE(create(path)->put(std::array{object}));
    Oid other = object.oid;
    other.bytes[20] ^= 1U;
    Database(path).run("UPDATE objects SET oid=x'" + other.hex() + "'");
    const auto store = open(path);
    CHECK(store->get(std::array{object.oid}).error().code == Error::Code::corrupt);
    REQUIRE(store->sweep({.objects = {other}}));
    CHECK(count(path, "objects") == "1");
  }

  TEST_CASE("a table of whole names is as good") {
    const TempDir folder;
    const std::string path = folder / "store";
    History history;
    REQUIRE(append(*create(path), history, "main", "one"));
    REQUIRE(open(path)->rebuild());
    Database(path).run(
        "UPDATE names SET oid=coalesce((SELECT oid FROM commits WHERE place=handle),"
        "(SELECT oid FROM objects WHERE objects.handle=names.handle))");
    const auto store = open(path);
    CHECK(store->has(std::array{history.last()}).value()[0]);
    CHECK(store->find(history.last().hex().substr(0, 20), Kind::commit, 2).value().size() == 1);
    REQUIRE(append(*store, history, "main", "two"));
    CHECK(store->check()->empty());
  }
}
