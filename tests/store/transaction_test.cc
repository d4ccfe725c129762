// What a change states about the store, and what an engine does if it does not hold. One change is
// one call: objects, refs, properties, removals, and their conditions.
#include <array>
#include <string_view>

#include <doctest/doctest.h>

#include "store/fsck.h"
#include "store/gc.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

const std::string kMain = branch_ref("main");

bool has(const Store& store, const Oid& oid) { return store.has(std::array{oid}).value()[0]; }

std::uint64_t epoch_of(const Store& store) { return store.properties({}).value().epoch; }

// A turn on main, ready to be committed.
Transaction next_turn(Store& store, History& history, std::string_view text) {
  const auto tip = store.ref(kMain).value();
  auto objects = history.turn(tip, text);
  return move_ref(kMain, tip, history.last(), std::move(objects));
}

// A change on top of one turn: another turn and a property.
struct Attempt {
  explicit Attempt(Store& store) {
    REQUIRE(append(store, history, "main", "one"));
    tip = history.last();
    change = next_turn(store, history, "two");
    change.properties = {{"limit", "3"}};
  }

  void check_nothing_written(const Store& store) const {
    CHECK(store.ref(kMain).value() == tip);
    CHECK_FALSE(has(store, history.last()));
    CHECK_FALSE(store.property("limit").value());
  }

  History history;
  Oid tip;
  Transaction change;
};

}  // namespace

TEST_SUITE("store/transaction") {
  TEST_CASE_TEMPLATE("properties are kept, replaced and removed, and read together", Kept, STORES) {
    Kept kept;
    constexpr std::array<std::string_view, 3> kKeys = {"limit", "never", "empty"};
    CHECK_FALSE(kept.store().property("limit").value());
    REQUIRE(kept.store().set_property("limit", "3"));
    REQUIRE(kept.store().set_property("empty", ""));
    kept.reopen();
    const Properties read = kept.store().properties(kKeys).value();
    REQUIRE(read.values.size() == 3);
    CHECK(read.values[0] == "3");
    CHECK_FALSE(read.values[1]);
    CHECK(read.values[2] == "");
    REQUIRE(kept.store().set_property("limit", "4"));
    CHECK(kept.store().property("limit").value() == "4");
    REQUIRE(kept.store().set_property("limit", std::nullopt));
    REQUIRE(kept.store().set_property("never", std::nullopt));
    CHECK_FALSE(kept.store().property("limit").value());
    REQUIRE(kept.store().rebuild());
    CHECK(kept.store().property("empty").value() == "");
    CHECK(kept.store().operations(0, 9).value().empty());
  }

  TEST_CASE_TEMPLATE("an epoch ends with a property, an erasure and a sweep, and with nothing else",
                     Kept, STORES) {
    Kept kept;
    History history;
    std::uint64_t epoch = epoch_of(kept.store());
    const auto has_ended = [&] {
      const std::uint64_t now = epoch_of(kept.store());
      CHECK(now >= epoch);
      return std::exchange(epoch, now) != now;
    };
    REQUIRE(append(kept.store(), history, "main", "one"));
    REQUIRE(kept.store().put(std::array{blob("loose"), blob("other")}));
    REQUIRE(kept.store().set_local("head", "main"));
    REQUIRE(kept.store().put_cached("a", "b"));
    CHECK(kept.store().erase(std::array{blob("never was").oid}).value() == 0);
    CHECK_FALSE(has_ended());
    kept.reopen();
    CHECK_FALSE(has_ended());
    const auto erasures = [&] { return kept.store().properties({}).value().erasures; };
    const std::uint64_t before = erasures();
    REQUIRE(kept.store().set_property("limit", "3"));
    CHECK(has_ended());
    CHECK(erasures() == before);
    CHECK(kept.store().erase(std::array{blob("other").oid}).value() == 1);
    CHECK(has_ended());
    REQUIRE(kept.store().sweep({.objects = {blob("loose").oid}}));
    CHECK(has_ended());
    CHECK(erasures() == before + 2);
    kept.reopen();
    CHECK_FALSE(has_ended());
  }

  TEST_CASE_TEMPLATE("a change of an earlier epoch is stale and writes nothing", Kept, STORES) {
    Kept kept;
    Attempt attempt(kept.store());
    Transaction& change = attempt.change;
    change.epoch = epoch_of(kept.store());
    REQUIRE(kept.another().set_property("elsewhere", "set"));
    const Receipt stale = kept.store().commit(change).value();
    CHECK(stale.is_stale);
    attempt.check_nothing_written(kept.store());

    change.epoch = epoch_of(kept.store());
    const Receipt written = kept.store().commit(change).value();
    CHECK_FALSE(written.is_stale);
    CHECK(kept.store().ref(kMain).value() == attempt.history.last());
    CHECK(kept.store().property("limit").value() == "3");
    CHECK(fsck(kept.store()).value().is_sound());

    // A retried call is recognised, though it ended its epoch itself.
    const Receipt again = kept.store().commit(change).value();
    CHECK(again.was_there);
    CHECK_FALSE(again.is_stale);
    CHECK(again.operation == Oid{});
  }

  TEST_CASE_TEMPLATE("an epoch is noticed to end whoever ends it, and whatever is done between",
                     Kept, STORES) {
    Kept kept;
    History history;
    for (int i = 0; i < 40; ++i) {
      CAPTURE(i);
      Store& one = i % 2 == 0 ? kept.store() : kept.another();
      Store& other = i % 3 == 0 ? kept.store() : kept.another();
      Transaction change = next_turn(one, history, std::to_string(i));
      change.epoch = epoch_of(one);
      if (i % 5 == 1) REQUIRE(other.put_cached("a", std::to_string(i)));
      if (i % 4 == 0) REQUIRE(other.set_property("limit", std::to_string(i)));
      if (i % 5 == 2) REQUIRE(one.put_cached("a", std::to_string(i)));
      CHECK(one.commit(change).value().is_stale == (i % 4 == 0));
      if (i % 4 == 0) REQUIRE(append(one, history, "main", "again"));
    }
    CHECK(fsck(kept.store()).value().is_sound());
  }

  TEST_CASE_TEMPLATE("a change whose required object is gone writes nothing", Kept, STORES) {
    Kept kept;
    Attempt attempt(kept.store());
    Transaction& change = attempt.change;
    change.required = {attempt.tip, blob("elsewhere").oid};
    const auto refused = kept.store().commit(change);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::not_found);
    CHECK(refused.error().message.find(blob("elsewhere").oid.hex(12)) != std::string::npos);
    attempt.check_nothing_written(kept.store());

    REQUIRE(kept.another().put(std::array{blob("elsewhere")}));
    REQUIRE(kept.store().commit(change));
    CHECK(kept.store().property("limit").value() == "3");
    CHECK(fsck(kept.store()).value().is_sound());
  }

  TEST_CASE_TEMPLATE("a change that loses a race sets no property and erases nothing", Kept,
                     STORES) {
    Kept kept;
    History history;
    REQUIRE(append(kept.store(), history, "main", "one"));
    REQUIRE(kept.store().put(std::array{blob("stays")}));
    Transaction change = next_turn(kept.store(), history, "two");
    change.properties = {{"limit", "3"}};
    change.erase = {blob("stays").oid};
    REQUIRE(append(kept.another(), history, "main", "first"));
    const auto lost = kept.store().commit(change);
    REQUIRE_FALSE(lost);
    CHECK(lost.error().code == Error::Code::conflict);
    CHECK_FALSE(kept.store().property("limit").value());
    CHECK(has(kept.store(), blob("stays").oid));
  }

  TEST_CASE_TEMPLATE("a change that moves no ref is not logged, and its objects are loose", Kept,
                     STORES) {
    Kept kept;
    History history;
    REQUIRE(append(kept.store(), history, "main", "one"));
    const std::uint64_t number = kept.store().newest_operation().value()->number;
    Transaction change;
    change.objects = {blob("loose")};
    change.properties = {{"limit", "3"}};
    int parts = 0;
    change.more = [&]() -> Result<std::vector<NewObject>> {
      if (++parts > 2) return std::vector<NewObject>();
      return std::vector{blob("part " + std::to_string(parts))};
    };
    REQUIRE(kept.store().commit(change));
    CHECK(kept.store().newest_operation().value()->number == number);
    CHECK(kept.store().property("limit").value() == "3");
    kept.reopen();
    auto loose = kept.store().loose(number).value();
    std::sort(loose.begin(), loose.end());
    std::vector<Oid> expected = {blob("loose").oid, blob("part 1").oid, blob("part 2").oid};
    std::sort(expected.begin(), expected.end());
    CHECK(loose == expected);
    for (const Oid& oid : expected) CHECK(has(kept.store(), oid));
  }

  TEST_CASE_TEMPLATE("parts that fail leave nothing behind", Kept, STORES) {
    Kept kept;
    Transaction change;
    change.objects = {blob("loose")};
    change.properties = {{"limit", "3"}};
    change.more = []() -> Result<std::vector<NewObject>> { return io_error("the disk is gone"); };
    CHECK_FALSE(kept.store().commit(change));
    CHECK_FALSE(has(kept.store(), blob("loose").oid));
    CHECK_FALSE(kept.store().property("limit").value());
    CHECK(kept.store().set_property("limit", "still writable"));
  }

  TEST_CASE_TEMPLATE("a store's search index finds what was added to it", Kept, STORES) {
    Kept kept;
    const Oid commit = blob("stands for a commit").oid;
    const auto index = kept.store().search_index().value();
    REQUIRE(index->update([&]() -> Result<void> {
      const std::int64_t line = TRY(index->add_line());
      CHECK(TRY(index->add_line()) != line);
      CHECK(TRY(index->add_commit(commit, {line, 4}, Timestamp{5})));
      CHECK_FALSE(TRY(index->add_commit(commit, {line, 6}, Timestamp{7})));
      TRY(index->add_commit(blob("without a time").oid, {line, 5}, Timestamp{}));
      TRY(index->add_join({{line, 4}, {9, 8}}));
      TRY(index->add_join({{line, 3}, {7, 6}}));
      TRY(index->add_text(commit, blob("name").oid, "rounding rows one by one"));
      return index->set_mark("1");
    }));
    const auto found = index->match("rows").value();
    REQUIRE(found.size() == 1);
    CHECK(found[0].commit == commit);
    CHECK(found[0].place == index->place_of(commit).value());
    CHECK(found[0].place.depth == 4);
    CHECK(found[0].time == Timestamp{5});
    CHECK_FALSE(index->place_of(blob("another").oid).value());
    REQUIRE(index->joins().value().size() == 2);
    CHECK(index->joins().value()[0].child.depth == 3);
    CHECK(index->joins().value()[1].parent == IndexPlace{9, 8});
    CHECK(index->match("columns").value().empty());
    CHECK(index->match("\"").error().code == Error::Code::invalid);
    CHECK(index->mark().value() == "1");
    REQUIRE(index->empty());
    CHECK(index->match("rows").value().empty());
  }
}
