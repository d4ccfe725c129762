// What comes from elsewhere is verified aside: a forged archive changes nothing, and one that is
// taken leaves the store sound. A store that holds what an earlier import left is healed by gc.
#include "store/quarantine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "store/archive.h"
#include "store/archive_reader.h"
#include "store/fsck.h"
#include "store/gc.h"
#include "store/memory_store.h"
#include "store/references.h"
#include "store/sha256.h"
#include "store/tombstone.h"
#include "tests/store/engines.h"
#include "tests/store/forgeries.h"
#include "tests/store/sample.h"
#include "tests/store/world.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

// An archive of a world, written by somebody who checks nothing: its lines are right.
class LyingWriter {
 public:
  explicit LyingWriter(const World& world) : world_(world) {}

  std::string write() {
    line(std::string(kRopeArchiveMagic));
    for (const auto& [name, target] : world_.refs) line("ref " + name + " " + target.hex() + "\n");
    add_all(Kind::tombstone);
    for (const NewObject& each : world_.objects) {
      if (each.kind != Kind::attest) add(each);
    }
    add_all(Kind::attest);
    return out_ + "end " + hash_.hex() + "\n";
  }

 private:
  void line(const std::string& text) {
    hash_ = sha256(hash_.view(), text);
    out_ += text;
  }

  void add_all(Kind kind) {
    for (const NewObject& each : world_.objects) {
      if (each.kind == kind) add(each);
    }
  }

  // After what it names, where that is to be had.
  void add(const NewObject& object) {
    if (!written_.insert(object.oid).second) return;
    if (const auto references = references_of(Object{object.kind, object.body})) {
      for (const Reference& needed : *references) {
        const auto at = std::ranges::find(world_.objects, needed.oid, &NewObject::oid);
        if (at != world_.objects.end()) add(*at);
      }
    }
    line(fmt::format("object {} {} {}\n", name_of(object.kind), object.body.size(),
                     object.oid.hex()));
    out_ += object.body + "\n";
  }

  const World& world_;
  std::string out_;
  Oid hash_;
  std::set<Oid> written_;
};

Result<Received> receive(Store& store, std::string_view bytes) {
  return receive_archive(store, {}, [&](std::span<char> to) -> Result<std::size_t> {
    const std::size_t count = std::min(bytes.size(), to.size());
    bytes.copy(to.data(), count);
    bytes.remove_prefix(count);
    return count;
  });
}

// As `spoor import` does.
Result<void> import(Store& store, const std::string& folder, std::string_view archive) {
  const auto aside = TRY(Quarantine::open(store, folder));
  const Received received = TRY(receive(*aside, archive));
  Transaction transaction;
  for (const PlacedRef& ref : TRY(place_refs(*aside, received.head))) {
    if (ref.is_new) transaction.refs.push_back({ref.as, std::nullopt, ref.target});
  }
  std::ranges::sort(transaction.refs, {}, &RefMove::name);
  transaction.actor = "tester";
  transaction.command = "import";
  transaction.time = at(1'000'000);
  if (transaction.refs.empty()) return aside->admit();
  TRY(aside->commit(transaction));
  return {};
}

std::string bytes_of(const InSqlite& sqlite) {
  return read_file(sqlite.folder / "store.spoor") + read_file(sqlite.folder / "store.spoor-wal");
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator()));
}

// A turn at the end of `branch` whose place its parents contradict, put and not referred to: what
// an import left that verified after it had stored.
NewObject put_forged(Store& store, const History& history) {
  Commit commit;
  commit.type = Type::user;
  commit.content = Content{blob("forged").oid};
  commit.parents = {history.last()};
  commit.depth = 7;
  commit.gen = 7;
  commit.skip = history.last();
  const NewObject forged = new_object(Kind::commit, serialize(commit).value());
  REQUIRE(store.put(std::array{blob("forged"), forged}));
  return forged;
}

bool has(const Store& store, const Oid& oid) { return store.has(std::array{oid}).value()[0]; }

void collect(Store& store) {
  REQUIRE(store.exclusive([&]() -> Result<void> {
    return store.sweep(TRY(find_garbage(store, {.keep_since = at(-1), .actor = "gc"})).sweep);
  }));
}

bool is_of_log(Rule rule) {
  return name_of(rule).starts_with("op_") || rule == Rule::ref_table || rule == Rule::engine ||
         rule == Rule::derived;
}

}  // namespace

TEST_SUITE("store/quarantine") {
  TEST_CASE(
      "an archive with a forged object changes no byte, and the error names object and rule") {
    InSqlite here;
    History history;
    REQUIRE(append(here.store(), history, "mine", "my own"));
    const std::string before = bytes_of(here);
    const std::size_t files = files_in(here.folder.path());
    std::size_t refused = 0;
    for (const Forgery& forgery : forgeries()) {
      CAPTURE(forgery.what);
      if (is_of_log(forgery.rule)) continue;  // An archive has no log.
      World world = sound_world();
      forgery.forge(world);
      const auto taken = import(here.store(), here.folder.path(), LyingWriter(world).write());
      REQUIRE_FALSE(taken);
      ++refused;
      const std::string& message = taken.error().message;
      CHECK(taken.error().code == Error::Code::corrupt);
      CHECK_MESSAGE(message.find(fmt::format("'{}'", name_of(forgery.rule))) != std::string::npos,
                    message);
      CHECK(bytes_of(here) == before);
      CHECK(files_in(here.folder.path()) == files);
    }
    CHECK(refused > 50);
    CHECK(fsck(here.store()).value().is_sound());
  }

  TEST_CASE("what a sound archive brings comes in with its refs, in one operation") {
    InSqlite here;
    REQUIRE(import(here.store(), here.folder.path(), LyingWriter(sound_world()).write()));
    CHECK(here.store().operations(0, 9).value().size() == 1);
    const FsckReport report = fsck(here.store()).value();
    CHECK(report.is_sound());
    CHECK(report.orphans == 0);
    // Once more there is no ref to be moved.
    REQUIRE(import(here.store(), here.folder.path(), LyingWriter(sound_world()).write()));
    CHECK(here.store().operations(0, 9).value().size() == 1);
    CHECK(fsck(here.store()).value().object_count() == report.object_count());
  }

  TEST_CASE("an archive that is cut anywhere changes no byte") {
    InSqlite here;
    History history;
    REQUIRE(append(here.store(), history, "mine", "my own"));
    const std::string before = bytes_of(here);
    const std::string archive = LyingWriter(sound_world()).write();
    for (std::size_t size = 0; size < archive.size(); size += 97) {
      CAPTURE(size);
      CHECK_FALSE(import(here.store(), here.folder.path(), archive.substr(0, size)));
    }
    CHECK(bytes_of(here) == before);
  }

  TEST_CASE("objects in another order, or there twice, are refused") {
    InSqlite here;
    const NewObject content = blob("text");
    History history;
    const auto turn = history.turn(std::nullopt, "text");
    const auto archive = [&](const std::vector<NewObject>& objects) {
      Oid hash;
      std::string out;
      const auto line = [&](const std::string& text) {
        hash = sha256(hash.view(), text);
        out += text;
      };
      line(std::string(kRopeArchiveMagic));
      line("ref refs/heads/main " + turn[1].oid.hex() + "\n");
      for (const NewObject& each : objects) {
        line(
            fmt::format("object {} {} {}\n", name_of(each.kind), each.body.size(), each.oid.hex()));
        out += each.body + "\n";
      }
      return out + "end " + hash.hex() + "\n";
    };
    const auto fails = [&](const std::vector<NewObject>& objects, const std::string& why) {
      const auto taken = import(here.store(), here.folder.path(), archive(objects));
      REQUIRE_FALSE(taken);
      CHECK_MESSAGE(taken.error().message.find(why) != std::string::npos, taken.error().message);
    };
    fails({turn[1], turn[0]}, "'missing'");
    fails({turn[0], turn[0], turn[1]}, "twice");
    fails({turn[0]}, "'ref_commit'");
    fails({{turn[0].oid, Kind::blob, turn[0].body + "x"}, turn[1]}, "'name'");
    CHECK(fsck(here.store()).value().object_count() == 0);
    CHECK(import(here.store(), here.folder.path(), archive(turn)));
  }

  TEST_CASE_TEMPLATE("a commit of more than fits at once is all or nothing", Kind, InMemory,
                     InSqlite, InPostgres) {
    Kind engine;
    Store& store = engine.store();
    History history;
    std::vector<NewObject> first = history.turn(std::nullopt, "first");
    std::vector<NewObject> second = history.turn(history.last(), "second");
    int calls = 0;
    Transaction transaction = move_ref(branch_ref("main"), std::nullopt, history.last());
    transaction.more = [&]() -> Result<std::vector<NewObject>> {
      if (++calls == 1) return first;
      return io_error("the source is gone");
    };
    CHECK(store.commit(transaction).error().code == Error::Code::io);
    CHECK_FALSE(has(store, first[1].oid));
    CHECK(store.refs("").value().empty());

    calls = 0;
    transaction.more = [&]() -> Result<std::vector<NewObject>> {
      ++calls;
      return calls == 1 ? first : calls == 2 ? second : std::vector<NewObject>();
    };
    REQUIRE(store.commit(transaction));
    engine.reopen();
    CHECK(fsck(engine.store()).value().is_sound());
    CHECK(has(engine.store(), second[1].oid));
    REQUIRE(append(engine.store(), history, "main", "third"));
  }

  TEST_CASE_TEMPLATE("what comes in parts is checked before its own properties and erasures count",
                     Kind, InMemory, InSqlite, InPostgres) {
    Kind engine;
    Store& store = engine.store();
    History history;
    REQUIRE(append(store, history, "main", "goes"));
    const Oid before = history.last();
    const Oid gone = blob("goes").oid;
    const auto turn = history.turn(before, "comes");
    Transaction transaction = move_ref(branch_ref("main"), before, history.last());
    transaction.epoch = store.properties({}).value().epoch;
    transaction.properties = {{"tombstones", "a list"}};
    transaction.erase = {gone};
    bool has_given = false;
    transaction.more = [&]() -> Result<std::vector<NewObject>> {
      return std::exchange(has_given, true) ? std::vector<NewObject>() : turn;
    };
    const auto receipt = store.commit(transaction);
    REQUIRE(receipt);
    CHECK_FALSE(receipt.value().is_stale);
    CHECK(store.ref(branch_ref("main")).value() == history.last());
    CHECK(store.property("tombstones").value() == "a list");
    CHECK_FALSE(has(store, gone));

    has_given = false;
    Transaction late = move_ref(branch_ref("late"), std::nullopt, history.last());
    late.epoch = transaction.epoch;
    late.more = transaction.more;
    CHECK(store.commit(late).value().is_stale);
    CHECK_FALSE(store.ref(branch_ref("late")).value());
  }

  TEST_CASE("a quarantine that is dropped leaves nothing, and shows both while it is there") {
    InSqlite here;
    History history;
    REQUIRE(append(here.store(), history, "main", "behind"));
    const Oid behind = history.last();
    const std::size_t files = files_in(here.folder.path());
    {
      const auto aside = Quarantine::open(here.store(), here.folder.path()).value();
      const auto turn = history.turn(behind, "aside");
      REQUIRE(aside->put(turn));
      CHECK(aside->has(std::array{behind, turn[1].oid}).value() == std::vector<bool>{true, true});
      CHECK(aside->get(std::array{turn[1].oid}).value()[0]->body == turn[1].body);
      CHECK(aside->find("", Kind::commit, 9).value().size() == 2);
      CHECK(fsck(*aside).value().is_sound());
      CHECK(aside->erase(std::array{behind}).error().code == Error::Code::invalid);
    }
    CHECK(files_in(here.folder.path()) == files);
    CHECK(fsck(here.store()).value().object_count() == 2);
  }

  // However it was found: a look at whether it is there counts as a reading does.
  TEST_CASE("what gc took meanwhile ends the admission with nothing changed") {
    bool is_read = false;
    SUBCASE("it was read") { is_read = true; }
    SUBCASE("it was found present") { is_read = false; }
    CAPTURE(is_read);
    InSqlite here;
    History history;
    REQUIRE(append(here.store(), history, "main", "stays"));
    History other;
    const auto base = other.turn(std::nullopt, "goes");
    REQUIRE(here.store().put(base));
    const auto aside = Quarantine::open(here.store(), here.folder.path()).value();
    const Oid root = other.last();
    const auto turn = other.turn(root, "builds upon it");
    if (is_read) REQUIRE(aside->get(std::array{root}).value()[0]);
    if (!is_read) REQUIRE(aside->has(std::array{root}).value()[0]);
    REQUIRE(aside->put(turn));
    REQUIRE(here.store().erase(std::array{root}));
    const auto taken = aside->commit(move_ref(branch_ref("x"), std::nullopt, turn[1].oid));
    CHECK(taken.error().code == Error::Code::not_found);
    CHECK_FALSE(has(here.store(), turn[1].oid));
  }

  TEST_CASE("a change of an earlier epoch is stale, with and without tombstones of its own") {
    for (const bool has_stone : {false, true}) {
      CAPTURE(has_stone);
      InSqlite here;
      History history;
      REQUIRE(append(here.store(), history, "main", "stays"));
      const auto aside = Quarantine::open(here.store(), here.folder.path()).value();
      History other;
      auto objects = other.turn(std::nullopt, "comes");
      const Oid tip = other.last();
      if (has_stone) {
        const Tombstone stone{
            .erased = {blob("gone").oid}, .reason = {}, .author = "ada", .time = at(1)};
        objects.push_back(new_object(Kind::tombstone, serialize(stone).value()));
      }
      REQUIRE(aside->put(objects));
      Transaction change = move_ref(branch_ref("x"), std::nullopt, tip);
      change.epoch = aside->properties({}).value().epoch;
      REQUIRE(here.store().set_property("limit", "3"));
      CHECK(aside->commit(change).value().is_stale);
      CHECK_FALSE(has(here.store(), tip));
      change.epoch = aside->properties({}).value().epoch;
      CHECK_FALSE(aside->commit(change).value().is_stale);
      CHECK(has(here.store(), tip));
    }
  }

  TEST_CASE_TEMPLATE("gc drops what breaks a rule and is needed by nothing, however new", Kind,
                     InMemory, InSqlite, InPostgres) {
    Kind engine;
    Store& store = engine.store();
    History history;
    REQUIRE(append(store, history, "main", "first"));
    const Oid tip = history.last();
    const NewObject forged = put_forged(store, history);
    const auto sound = history.turn(tip, "put lately, and sound");
    REQUIRE(store.put(sound));
    REQUIRE_FALSE(fsck(store).value().is_sound());
    collect(store);
    CHECK(fsck(store).value().is_sound());
    CHECK_FALSE(has(store, forged.oid));
    CHECK(has(store, sound[1].oid));
    CHECK(store.ref(branch_ref("main")).value() == tip);
  }

  TEST_CASE("gc drops what is malformed under its right name, and refuses where it is needed") {
    MemoryStore store;
    History history;
    REQUIRE(append(store, history, "main", "first"));
    const NewObject malformed = new_object(Kind::tombstone, "no tombstone");
    REQUIRE(store.put(std::array{malformed}));
    collect(store);
    CHECK_FALSE(has(store, malformed.oid));

    const NewObject commit = new_object(Kind::commit, "no commit");
    REQUIRE(store.put(std::array{commit}));
    REQUIRE(store.commit(move_ref(branch_ref("bad"), std::nullopt, commit.oid)));
    CHECK(find_garbage(store, {.actor = "gc"}).error().code == Error::Code::corrupt);
  }

  TEST_CASE("commits that name each other in a circle end an archive with an error") {
    MemoryStore store;
    History history;
    const auto root = history.turn(std::nullopt, "a");
    const auto child = history.turn(root[1].oid, "b");
    const NewObject ring{root[1].oid, Kind::commit, child[1].body};  // Its own first parent.
    REQUIRE(store.put(std::array{root[0], child[0], ring, child[1]}));
    REQUIRE(store.commit(move_ref(branch_ref("main"), std::nullopt, child[1].oid)));
    const auto written = write_archive(store, {.refs = store.refs("").value()},
                                       [](std::string_view) { return Result<void>(); });
    REQUIRE(written.error().code == Error::Code::corrupt);
    CHECK(written.error().message.find(root[1].oid.hex(12)) != std::string::npos);
  }
}
