// What gc finds and what a sweep does, on each store. That it keeps what random histories need is
// tests/graph/gc_property_test.cc.
#include "store/gc.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <random>
#include <set>

#include "store/fsck.h"
#include "store/signature.h"
#include "store/tombstone.h"
#include "tests/store/database.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"
#include "tests/store/world.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

constexpr std::int64_t kNever = -1;

GcOptions since(std::int64_t seconds) {
  GcOptions options;
  options.keep_since = at(seconds);
  options.actor = "tester";
  return options;
}

// Collects, and gives what went.
Garbage collect(Store& store, const GcOptions& options) {
  return collect_garbage(store, options).value();
}

bool has(const Store& store, const Oid& oid) { return store.has(std::array{oid}).value()[0]; }

void check_sound(const Store& store) {
  for (const auto& problem : fsck(store).value().problems) {
    FAIL_CHECK(problem.subject << ": " << problem.message);
  }
}

// A turn a second on a branch; gives the commits.
std::vector<Oid> grow(Store& store, History& history, const std::string& branch, std::int64_t from,
                      int length) {
  std::vector<Oid> commits;
  for (int i = 0; i < length; ++i) {
    REQUIRE(append(store, history, branch, branch + " " + std::to_string(from + i), at(from + i)));
    commits.push_back(history.last());
  }
  return commits;
}

void move(Store& store, const std::string& branch, const std::optional<Oid>& to,
          std::int64_t seconds) {
  const std::string ref = branch_ref(branch);
  REQUIRE(store.commit(move_ref(ref, store.ref(ref).value(), to, {}, at(seconds))));
}

// Into a store, through the port.
void write_world(const World& world, Store& store) {
  REQUIRE(store.put(world.objects));
  for (const LoggedOperation& logged : world.log) {
    const Operation operation = parse_operation(logged.body).value();
    REQUIRE(store.commit({.objects = {},
                          .refs = operation.refs,
                          .actor = operation.actor,
                          .command = operation.command,
                          .time = operation.time,
                          .undo = operation.undo,
                          .map = operation.map}));
  }
}

}  // namespace

TEST_SUITE("store/gc") {
  TEST_CASE_TEMPLATE("what no ref and no recent operation names goes, with its text", Kept,
                     STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 0, 4);
    move(kept.store(), "main", commits[1], 10);

    const Garbage early = collect(kept.store(), since(10));
    CHECK(early.object_count() == 0);  // The move says where it was.
    CHECK(early.operations == 4);
    const Garbage garbage = collect(kept.store(), since(11));
    CHECK(garbage.commits == std::vector<Oid>{commits[3], commits[2]});
    CHECK(garbage.object_count() == 4);
    CHECK(garbage.kept == 4);
    CHECK(garbage.operations == 2);  // The checkpoint, and the move.
    for (int again = 0; again < 2; ++again) {
      CHECK_FALSE(has(kept.store(), commits[3]));
      CHECK_FALSE(has(kept.store(), blob("main 3").oid));
      CHECK(has(kept.store(), commits[1]));
      CHECK(kept.store().ref(branch_ref("main")).value() == commits[1]);
      check_sound(kept.store());
      kept.reopen();
    }
    CHECK(collect(kept.store(), since(11)).object_count() == 0);
  }

  TEST_CASE_TEMPLATE("nothing goes of a store that has one of everything on its refs", Kept,
                     STORES) {
    Kept kept;
    const World world = sound_world();
    write_world(world, kept.store());
    const Garbage all = collect(kept.store(), since(kNever));
    CHECK(all.object_count() == 0);
    CHECK(all.operations == 0);
    const std::size_t before = fsck(kept.store()).value().object_count();
    const Garbage folded = collect(kept.store(), since(1'000));
    CHECK(folded.operations == world.log.size());
    // Of those, only the signature under an operation that is not in the log any more.
    CHECK(fsck(kept.store()).value().object_count() == before - folded.object_count());
    CHECK(folded.objects[static_cast<std::size_t>(Kind::attest)] == 1);
    CHECK(folded.commits.empty());
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("a signature stays with what it signs, a tombstone always", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 0, 2);
    const auto signed_by = [&](const Oid& target) {
      const Attest attest = sign(std::string(kSigningKeyBytes, 's'), target).value();
      const NewObject object = new_object(Kind::attest, serialize(attest));
      REQUIRE(kept.store().put(std::array{object}));
      return object.oid;
    };
    const Oid kept_signature = signed_by(commits[0]);
    const Oid over_signature = signed_by(kept_signature);
    const Oid lost_signature = signed_by(commits[1]);
    Tombstone tombstone;
    tombstone.erased = {blob("gone").oid};
    tombstone.author = "tester";
    const NewObject stone = new_object(Kind::tombstone, serialize(tombstone).value());
    REQUIRE(kept.store().put(std::array{stone}));
    move(kept.store(), "main", commits[0], 5);
    collect(kept.store(), since(6));
    CHECK(has(kept.store(), kept_signature));
    CHECK(has(kept.store(), over_signature));
    CHECK_FALSE(has(kept.store(), lost_signature));
    CHECK(has(kept.store(), stone.oid));
    CHECK_FALSE(has(kept.store(), commits[1]));
  }

  TEST_CASE_TEMPLATE("what was put is new until an operation came and grew old", Kept, STORES) {
    Kept kept;
    History history;
    grow(kept.store(), history, "main", 0, 2);
    const auto turns = history.turn({}, "put alone");
    REQUIRE(kept.store().put(turns));
    kept.reopen();
    CHECK(collect(kept.store(), since(100)).object_count() == 0);
    move(kept.store(), "other", kept.store().ref(branch_ref("main")).value(), 10);
    CHECK(collect(kept.store(), since(10)).object_count() == 0);
    REQUIRE(kept.store().put(turns));  // Renewed.
    CHECK(collect(kept.store(), since(100)).object_count() == 0);
    move(kept.store(), "third", kept.store().ref(branch_ref("main")).value(), 20);
    const Garbage garbage = collect(kept.store(), since(100));
    CHECK(garbage.commits == std::vector<Oid>{turns[1].oid});
    CHECK(garbage.object_count() == 2);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("a folded log goes on as if nothing had been taken away", Kept, STORES) {
    Kept kept;
    Kept whole;
    for (Kept* each : {&kept, &whole}) {
      History history;
      const auto commits = grow(each->store(), history, "main", 0, 100);
      move(each->store(), "side", commits[5], 100);
      move(each->store(), "side", std::nullopt, 101);
      grow(each->store(), history, "main", 110, 3);
    }
    const Garbage first = collect(kept.store(), since(50));
    CHECK(first.operations == 50);
    CHECK(first.object_count() == 0);
    const auto log = kept.store().operations(0, 1'000).value();
    CHECK(log.size() == 56);
    CHECK(log.front().number == 50);
    CHECK(log.back().name == whole.store().newest_operation().value()->name);
    const Operation checkpoint = parse_operation(log.front().body).value();
    CHECK(checkpoint.folded == whole.store().operations(49, 1).value()[0].name);
    CHECK(checkpoint.time == at(49));
    CHECK_FALSE(kept.store().operation_at(branch_ref("main"), at(48)).value().has_value());
    CHECK(kept.store().operation_at(branch_ref("main"), at(49)).value()->number == 50);
    check_sound(kept.store());

    const auto names = [&](std::uint64_t count) {
      std::vector<Oid> all;
      for (const auto& each : whole.store().operations(0, count).value()) all.push_back(each.name);
      return all;
    };
    if (const auto folded = kept.store().folded_names()) {
      CHECK(folded->first == 1);
      CHECK(folded->names == names(50));
    } else {  // A format that keeps no names.
      CHECK(folded.error().code == Error::Code::unavailable);
    }

    CHECK(collect(kept.store(), since(200)).operations == 56);
    if (const auto folded = kept.store().folded_names()) CHECK(folded->names == names(105));
    CHECK(collect(kept.store(), since(200)).operations == 0);  // A checkpoint alone stays.
    kept.reopen();
    for (Kept* each : {&kept, &whole}) {
      move(each->store(), "late", each->store().ref(branch_ref("main")).value(), 300);
    }
    CHECK(kept.store().refs("").value() == whole.store().refs("").value());
    CHECK(kept.store().newest_operation().value()->name ==
          whole.store().newest_operation().value()->name);
    check_sound(kept.store());
    REQUIRE(kept.store().rebuild());
    check_sound(kept.store());
    CHECK(kept.store().refs("").value() == whole.store().refs("").value());
  }

  TEST_CASE_TEMPLATE("what an operation's map names stays as long as the operation", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 0, 3);
    Transaction copying = move_ref(branch_ref("main"), commits[2], commits[0], {}, at(10));
    REQUIRE(kept.store().commit(copying));
    Transaction rewriting = move_ref(branch_ref("side"), {}, commits[0], {}, at(20));
    rewriting.map = {{commits[1], commits[0]}};
    REQUIRE(kept.store().commit(rewriting));
    collect(kept.store(), since(15));
    CHECK(has(kept.store(), commits[1]));
    CHECK_FALSE(has(kept.store(), commits[2]));
    check_sound(kept.store());
    collect(kept.store(), since(25));
    CHECK_FALSE(has(kept.store(), commits[1]));
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("a sweep drops cached data, which may tell of what went", Kept, STORES) {
    Kept kept;
    REQUIRE(kept.store().put_cached("key", "words of a turn"));
    collect(kept.store(), since(kNever));
    CHECK_FALSE(kept.store().cached("key").value().has_value());
  }

  TEST_CASE_TEMPLATE("a checkpoint for no operation is refused, and nothing goes", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 0, 2);
    Operation checkpoint;
    checkpoint.folded = commits[0];
    checkpoint.time = at(0);
    checkpoint.actor = checkpoint.command = "tester";
    const std::string body = serialize(checkpoint).value();
    Sweep sweep;
    sweep.objects = {commits[1]};
    sweep.checkpoint = LoggedOperation{7, operation_name(body), body};
    CHECK(kept.store().sweep(sweep).error().code == Error::Code::invalid);
    CHECK(has(kept.store(), commits[1]));
    CHECK(kept.store().operations(0, 10).value().size() == 2);
  }

  TEST_CASE_TEMPLATE("a store that is not sound is not swept", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 0, 4);
    move(kept.store(), "main", commits[2], 10);
    REQUIRE(kept.store().erase(std::array{commits[1]}));
    CHECK(find_garbage(kept.store(), since(100)).error().code == Error::Code::corrupt);
  }

  TEST_CASE_TEMPLATE(
      "what a needed object names stays, though it was missing when the search began", Kept,
      STORES) {
    Kept kept;
    Store& store = kept.store();
    History history;
    grow(store, history, "main", 0, 2);
    const auto long_text = encode_content(std::string(kMaxBlobContent + 1, 'x'), Salter());
    REQUIRE(store.put(long_text));
    NewObject attached = history.turn(history.last(), "with an attachment").back();
    Commit commit = parse_commit(attached.body).value();
    commit.content->oid = long_text.back().oid;
    attached = new_object(Kind::commit, serialize(commit).value());
    const std::string main = branch_ref("main");
    const auto tip = store.ref(main).value();
    REQUIRE(store.commit(move_ref(main, tip, attached.oid, {attached}, at(20))));
    REQUIRE(store.erase(std::array{long_text.back().oid}));  // The list alone.
    move(store, "later", tip, 30);

    auto search = GarbageSearch::begin(store, since(100)).value();
    REQUIRE(store.commit(move_ref(branch_ref("other"), {}, tip, {long_text.back()}, at(101))));
    bool is_outdated = false;
    REQUIRE(store.exclusive([&]() -> Result<void> {
      const auto garbage = TRY(search.finish());
      is_outdated = !garbage;
      return garbage ? store.sweep(garbage->sweep) : Result<void>();
    }));
    CHECK_FALSE(is_outdated);
    for (const NewObject& each : long_text) CHECK(has(store, each.oid));
    check_sound(store);
  }

  TEST_CASE_TEMPLATE("what is written during the search keeps what it needs", Kept, STORES) {
    std::mt19937 random(spoor::testing::seeded(22));
    for (int round = 0; round < spoor::testing::rounds(30); ++round) {
      Kept kept;
      Store& store = kept.store();
      History history;
      std::vector<Oid> commits = grow(store, history, "main", 0, 12);
      for (const char* branch : {"a", "b", "c"}) {
        for (const Oid& each : grow(store, history, branch, 20, 4)) commits.push_back(each);
      }
      move(store, "main", commits[2 + random() % 8], 30);
      move(store, "a", std::nullopt, 30);
      const auto any = [&] { return commits[random() % commits.size()]; };
      std::set<Oid> wanted;
      std::optional<Oid> head;
      const auto write = [&] {
        for (std::uint64_t i = random() % 8; i > 0; --i) {
          const std::string name = std::to_string(i);
          switch (random() % 5) {
            case 0: {  // A branch that begins where nothing else is.
              const Oid there = any();
              wanted.insert(there);
              REQUIRE(store.commit(move_ref(branch_ref(name), {}, there, {}, at(101))));
              break;
            }
            case 1: {  // A turn that says what has been said, after a commit that goes.
              const Oid parent = any();
              const std::string text = "main " + std::to_string(random() % 12);
              auto objects = history.turn(parent, text);
              for (const Oid& each : {parent, history.last(), blob(text).oid}) wanted.insert(each);
              REQUIRE(store.commit(
                  move_ref(branch_ref(name), {}, history.last(), std::move(objects), at(101))));
              head = history.last();
              break;
            }
            case 2:  // The operation still names where it was.
              if (const auto tip = store.ref(branch_ref("b")).value()) {
                wanted.insert(*tip);
                move(store, "b", std::nullopt, 101);
              }
              break;
            case 3: {  // Put without a ref, though it is stored.
              const NewObject again = blob("a " + std::to_string(20 + random() % 4));
              wanted.insert(again.oid);
              REQUIRE(store.put(std::array{again}));
              break;
            }
            case 4: {  // Gone before the search ends.
              const Oid there = any();
              wanted.insert(there);
              REQUIRE(store.commit(move_ref(branch_ref(name), {}, there, {}, at(101))));
              move(store, name, std::nullopt, 102);
              break;
            }
          }
        }
      };
      // The roots are asked for between the scan and the look at the log: HEAD may be a commit that
      // neither has seen.
      const bool during_search = random() % 2 == 0;
      bool is_written = false;
      GcOptions options = since(100);
      options.roots = [&]() -> Result<std::vector<Oid>> {
        if (during_search && !std::exchange(is_written, true)) write();
        return head ? std::vector{*head} : std::vector<Oid>();
      };
      auto search = GarbageSearch::begin(store, options).value();
      if (!is_written) write();

      REQUIRE(store.exclusive(
          [&]() -> Result<void> { return store.sweep(TRY(search.finish())->sweep); }));
      check_sound(store);
      for (const Oid& each : wanted) CHECK(has(store, each));
      CHECK(collect(store, since(100)).object_count() == 0);
    }
  }

  TEST_CASE_TEMPLATE("a root that changes during the search is kept, before and after", Kept,
                     STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 0, 8);
    move(kept.store(), "main", commits[1], 10);
    Oid head = commits[3];
    GcOptions options = since(11);
    options.roots = [&head]() -> Result<std::vector<Oid>> { return std::vector{head}; };
    auto search = GarbageSearch::begin(kept.store(), options).value();
    head = commits[5];
    CHECK(search.finish().value()->commits == std::vector<Oid>{commits[7], commits[6]});
    CHECK(find_garbage(kept.store(), options)->commits == std::vector<Oid>{commits[7], commits[6]});
  }

  TEST_CASE_TEMPLATE("a search that another gc overtakes begins again", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 0, 6);
    move(kept.store(), "main", commits[1], 10);
    auto late = GarbageSearch::begin(kept.store(), since(11)).value();
    CHECK(collect(kept.store(), since(3)).object_count() == 0);  // Only the log is folded.
    CHECK_FALSE(late.finish().value());
    auto later = GarbageSearch::begin(kept.store(), since(11)).value();
    CHECK(collect(kept.store(), since(11)).object_count() == 8);
    CHECK_FALSE(later.finish().value());
    check_sound(kept.store());
  }

  TEST_CASE("a cancelled search ends") {
    MemoryStore store;
    REQUIRE(store.put(sound_world().objects));
    std::vector<NewObject> many;
    for (int i = 0; i < 2'000; ++i) many.push_back(blob(std::to_string(i)));
    REQUIRE(store.put(many));
    GcOptions options = since(0);
    options.is_cancelled = [] { return true; };
    CHECK(find_garbage(store, options).error().code == Error::Code::interrupted);
  }

  TEST_CASE("another process that has the store open goes on after a sweep") {
    const TempDir folder;
    const auto ours = SqliteStore::create(folder / "store.spoor").value();
    const auto theirs = SqliteStore::open(folder / "store.spoor").value();
    History history;
    const auto commits = grow(*theirs, history, "main", 0, 70);
    move(*theirs, "main", commits[60], 80);
    collect(*ours, since(100));
    CHECK(theirs->ref(branch_ref("main")).value() == commits[60]);
    CHECK_FALSE(has(*theirs, commits[65]));
    grow(*theirs, history, "main", 110, 2);
    CHECK(ours->ref(branch_ref("main")).value() == history.last());
    grow(*ours, history, "main", 120, 2);
    collect(*theirs, since(115));
    check_sound(*ours);
    CHECK(ours->operations(0, 100).value().size() == 3);
  }

  TEST_CASE("what lies under a name that is not its own stops gc: another may miss it") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    {
      const auto store = sample::create_old(path);
      History history;
      grow(*store, history, "main", 0, 3);
    }
    // The last bit of a content's name: the turn lacks it, and nothing needs the new name.
    Database(path).run(
        "UPDATE objects SET oid=CAST(substr(oid,1,31)||x'00' AS BLOB) WHERE handle=2");
    const auto store = SqliteStore::open(path).value();
    const auto found = find_garbage(*store, since(20));
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Error::Code::corrupt);
  }

  TEST_CASE("room is given back by compact") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    const auto store = SqliteStore::create(path).value();
    History history;
    const auto commits = grow(*store, history, "main", 0, 3);
    auto large = history.turn(commits[2], std::string(900'000, 'x'));
    REQUIRE(store->commit(
        move_ref(branch_ref("main"), commits[2], history.last(), std::move(large), at(5))));
    move(*store, "main", commits[2], 10);
    collect(*store, since(20));
    CHECK(std::filesystem::file_size(path) > 900'000);
    REQUIRE(store->compact());
    CHECK(std::filesystem::file_size(path) < 100'000);
    check_sound(*store);
    grow(*store, history, "side", 30, 2);
    check_sound(*store);
  }
}
