// What every Store promises, held against each implementation.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "store/sha256.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

std::vector<Oid> oids_of(const std::vector<NewObject>& objects) {
  std::vector<Oid> oids;
  for (const NewObject& each : objects) oids.push_back(each.oid);
  return oids;
}

// A branch of `length` turns; its commits, oldest first.
std::vector<Oid> grow(Store& store, History& history, const std::string& branch, int length) {
  std::vector<Oid> commits;
  for (int i = 0; i < length; ++i) {
    REQUIRE(append(store, history, branch, branch + " " + std::to_string(i)));
    commits.push_back(history.last());
  }
  return commits;
}

// Grows two commits on main and on another branch, and merges these. Returns main's three.
std::vector<Oid> grow_merge(Store& store) {
  History history;
  auto line = grow(store, history, "main", 2);
  const auto theirs = grow(store, history, "other", 2);
  Commit merge;
  merge.op = Op::merge;
  merge.mode = Mode::append;
  merge.parents = {line[1], theirs[1]};
  merge.depth = merge.gen = 2;
  merge.skip = line[0];
  const NewObject object = new_object(Kind::commit, serialize(merge).value());
  REQUIRE(store.commit(move_ref(branch_ref("main"), line[1], object.oid, {object})));
  line.push_back(object.oid);
  return line;
}

std::vector<Oid> walk(const Store& store, const Oid& from, std::size_t count) {
  std::vector<Oid> seen;
  REQUIRE(store.run(from, count, 0, [&seen](const Store::RunStep& step) {
    seen.push_back(step.oid);
    return true;
  }));
  return seen;
}

std::vector<Oid> way(const Store& store, const Oid& from, std::uint64_t steps) {
  std::vector<Oid> seen;
  REQUIRE(store.follow(from, steps, [&seen](const Store::RunStep& step) {
    CHECK(object_name(Kind::commit, step.body) == step.oid);
    seen.push_back(step.oid);
    return true;
  }));
  return seen;
}

std::size_t count_objects(const Store& store) {
  std::size_t count = 0;
  REQUIRE(store.scan([&count](const StoredObject&) { return ++count, true; }));
  return count;
}

void check_sound(const Store& store) {
  const auto findings = store.check();
  REQUIRE(findings);
  for (const auto& finding : *findings) {
    FAIL_CHECK(finding.subject << ": " << finding.problem);
  }
}

const std::string kMain = branch_ref("main");

}  // namespace

TEST_SUITE("store/contract") {
  TEST_CASE_TEMPLATE("many objects are found in any order, also of ones that are absent", Kept,
                     STORES) {
    Kept kept;
    History history;
    grow(kept.store(), history, "main", 150);
    grow(kept.store(), history, "side", 60);
    std::vector<Oid> all;
    std::map<Oid, Object> expected;
    REQUIRE(kept.store().scan([&](const StoredObject& each) {
      all.push_back(each.oid);
      expected.emplace(each.oid, each.object);
      return true;
    }));
    std::mt19937 random(spoor::testing::seeded(5));
    for (int round = 0; round < spoor::testing::rounds(40); ++round) {
      std::vector<Oid> wanted;  // A few near each other, forwards or backwards, then others.
      for (int part = 0; part < 20; ++part) {
        const std::size_t from = random() % all.size();
        const std::size_t to = std::min(all.size(), from + 1 + random() % 12);
        std::vector<Oid> some(all.begin() + static_cast<std::ptrdiff_t>(from),
                              all.begin() + static_cast<std::ptrdiff_t>(to));
        if (random() % 2 == 0) std::reverse(some.begin(), some.end());
        wanted.insert(wanted.end(), some.begin(), some.end());
        if (random() % 4 == 0) wanted.push_back(sha256(std::to_string(random())));
      }
      const auto found = kept.store().get(wanted).value();
      REQUIRE(found.size() == wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto known = expected.find(wanted[i]);
        REQUIRE(found[i].has_value() == (known != expected.end()));
        if (found[i]) REQUIRE(*found[i] == known->second);
      }
    }
  }

  TEST_CASE_TEMPLATE("erasure drops cached data, which may tell of what went", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 2);
    REQUIRE(kept.store().put_cached("state", "what main says"));
    CHECK(kept.store().erase(std::array{object_name(Kind::blob, "nothing")}).value() == 0);
    CHECK(kept.store().cached("state").value() == "what main says");
    CHECK(kept.store().erase(std::array{commits[1]}).value() == 1);
    CHECK_FALSE(kept.store().cached("state").value());
    kept.reopen();
    CHECK_FALSE(kept.store().cached("state").value());
  }

  TEST_CASE_TEMPLATE("an empty store holds nothing", Kept, STORES) {
    Kept kept;
    const Store& store = kept.store();
    CHECK(store.refs("").value().empty());
    CHECK_FALSE(store.ref(kMain).value().has_value());
    CHECK_FALSE(store.newest_operation().value().has_value());
    CHECK(store.operations(0, 10).value().empty());
    CHECK(count_objects(store) == 0);
    CHECK(store.find("", Kind::commit, 10).value().empty());
    check_sound(store);
  }

  TEST_CASE_TEMPLATE("what was put is got back, byte for byte, in the order asked", Kept, STORES) {
    Kept kept;
    const std::vector<NewObject> objects = {
        blob("hello"), blob(""), blob(std::string_view("\0\xff\r\n", 4)),
        blob(std::string(100'000, 'x')), new_object(Kind::tag, "no tag, but bytes")};
    REQUIRE(kept.store().put(objects));
    kept.reopen();
    std::vector<Oid> wanted = oids_of(objects);
    std::reverse(wanted.begin(), wanted.end());
    wanted.insert(wanted.begin() + 2, Oid{});
    const auto found = kept.store().get(wanted).value();
    REQUIRE(found.size() == wanted.size());
    CHECK_FALSE(found[2].has_value());
    for (const NewObject& each : objects) {
      const auto at = static_cast<std::size_t>(std::find(wanted.begin(), wanted.end(), each.oid) -
                                               wanted.begin());
      CHECK(found[at] == Object{each.kind, each.body});
    }
    const auto has = kept.store().has(wanted).value();
    CHECK(has == std::vector<bool>{true, true, false, true, true, true});
  }

  TEST_CASE_TEMPLATE("the same object asked for twice is answered twice", Kept, STORES) {
    Kept kept;
    const NewObject object = blob("twice");
    REQUIRE(kept.store().put(std::array{object}));
    const auto found = kept.store().get(std::array{object.oid, object.oid}).value();
    CHECK(found[0] == found[1]);
    CHECK(found[1].has_value());
  }

  TEST_CASE_TEMPLATE("putting what is there changes nothing", Kept, STORES) {
    Kept kept;
    const NewObject object = blob("again");
    REQUIRE(kept.store().put(std::array{object, object}));
    REQUIRE(kept.store().put(std::array{object}));
    CHECK(count_objects(kept.store()) == 1);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("every kind of object comes back as its kind", Kept, STORES) {
    Kept kept;
    for (const Kind kind : kKinds) {
      REQUIRE(kept.store().put(std::array{new_object(kind, "the same bytes")}));
    }
    kept.reopen();
    for (const Kind kind : kKinds) {
      const auto found = kept.store().get(std::array{object_name(kind, "the same bytes")}).value();
      REQUIRE(found[0].has_value());
      CHECK(found[0]->kind == kind);
    }
    CHECK(count_objects(kept.store()) == kKinds.size());
  }

  TEST_CASE_TEMPLATE("find goes by prefix and kind, in order of name", Kept, STORES) {
    Kept kept;
    std::vector<Oid> blobs;
    std::vector<Oid> tags;
    for (int i = 0; i < 300; ++i) {
      const NewObject one = blob("blob " + std::to_string(i));
      const NewObject two = new_object(Kind::tag, "tag " + std::to_string(i));
      const NewObject three = new_object(Kind::commit, "commit " + std::to_string(i));
      REQUIRE(kept.store().put(std::array{one, two, three}));
      blobs.push_back(one.oid);
      tags.push_back(two.oid);
    }
    std::sort(blobs.begin(), blobs.end());
    std::sort(tags.begin(), tags.end());
    CHECK(kept.store().find("", Kind::blob, 1000).value() == blobs);
    CHECK(kept.store().find("", Kind::tag, 1000).value() == tags);
    CHECK(kept.store().find("", Kind::commit, 1000).value().size() == 300);
    CHECK(kept.store().find("", Kind::tag, 7).value().size() == 7);
    for (const std::size_t digits : {1U, 2U, 3U, 5U, 64U}) {
      const std::string prefix = blobs[100].hex(digits);
      std::vector<Oid> expected;
      for (const Oid& each : blobs) {
        if (each.hex().starts_with(prefix)) expected.push_back(each);
      }
      CHECK(kept.store().find(prefix, Kind::blob, 1000).value() == expected);
    }
    const std::string last(64, 'f');
    CHECK(kept.store().find(last, Kind::blob, 10).value().empty());
  }

  TEST_CASE_TEMPLATE("a prefix that is no lower-case digits finds nothing", Kept, STORES) {
    Kept kept;
    REQUIRE(kept.store().put(std::array{blob("x")}));
    for (const std::string_view prefix : {"X", "main", "AB", " ", "../"}) {
      CHECK(kept.store().find(prefix, Kind::blob, 10).value().empty());
    }
    CHECK(kept.store().find(std::string(65, '0'), Kind::blob, 10).value().empty());
  }

  TEST_CASE_TEMPLATE("scan hands out every object once, and stops when told", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 20);
    std::vector<Oid> seen;
    REQUIRE(kept.store().scan([&](const StoredObject& each) {
      CHECK(object_name(each.object.kind, each.object.body) == each.oid);
      CHECK(kept.store().has(std::array{each.oid}).value()[0]);  // The visitor may ask.
      seen.push_back(each.oid);
      return true;
    }));
    std::sort(seen.begin(), seen.end());
    CHECK(seen.size() == 40);
    CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
    for (const Oid& each : commits) CHECK(std::binary_search(seen.begin(), seen.end(), each));
    int handed = 0;
    REQUIRE(kept.store().scan([&](const StoredObject&) { return ++handed < 5; }));
    CHECK(handed == 5);
  }

  TEST_CASE_TEMPLATE("a commit puts its objects, moves its ref and is one operation", Kept,
                     STORES) {
    Kept kept;
    History history;
    auto objects = history.turn({}, "hello");
    const std::vector<Oid> oids = oids_of(objects);
    const auto receipt = kept.store().commit(move_ref(kMain, {}, oids[1], objects, at(7)));
    REQUIRE(receipt);
    CHECK_FALSE(receipt->was_there);
    kept.reopen();
    CHECK(kept.store().has(oids).value() == std::vector<bool>{true, true});
    CHECK(kept.store().ref(kMain).value() == oids[1]);
    CHECK(kept.store().refs("refs/").value() == std::vector<Ref>{{kMain, oids[1]}});

    const auto newest = kept.store().newest_operation().value();
    REQUIRE(newest.has_value());
    CHECK(newest->number == 1);
    CHECK(newest->name == receipt->operation);
    CHECK(newest->name == operation_name(newest->body));
    const Operation operation = parse_operation(newest->body).value();
    CHECK_FALSE(operation.prev.has_value());
    CHECK(operation.time == at(7));
    CHECK(operation.actor == "tester");
    CHECK(operation.command == "test");
    CHECK(operation.refs == std::vector<RefMove>{{kMain, std::nullopt, oids[1]}});
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("operations are numbered, chained, and never run backwards in time", Kept,
                     STORES) {
    Kept kept;
    History history;
    for (const int second : {10, 30, 20, 40}) {
      REQUIRE(append(kept.store(), history, "main", "turn", at(second)));
      kept.reopen();
    }
    const auto all = kept.store().operations(0, 100).value();
    REQUIRE(all.size() == 4);
    std::vector<Timestamp> times;
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].number == i + 1);
      const Operation operation = parse_operation(all[i].body).value();
      times.push_back(operation.time);
      if (i > 0) CHECK(operation.prev == all[i - 1].name);
    }
    CHECK(times == std::vector{at(10), at(30), at(30), at(40)});
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("operations are read in pieces", Kept, STORES) {
    Kept kept;
    History history;
    grow(kept.store(), history, "main", 10);
    const auto piece = kept.store().operations(3, 4).value();
    REQUIRE(piece.size() == 4);
    CHECK(piece.front().number == 4);
    CHECK(piece.back().number == 7);
    CHECK(kept.store().operations(9, 100).value().size() == 1);
    CHECK(kept.store().operations(10, 100).value().empty());
    CHECK(kept.store().operations(1000, 100).value().empty());
    CHECK(kept.store().operations(0, 0).value().empty());
  }

  TEST_CASE_TEMPLATE("a ref elsewhere is a conflict, and nothing changes", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 2);
    auto objects = history.turn(commits[1], "lost");
    const std::vector<Oid> oids = oids_of(objects);
    for (const std::optional<Oid>& before : {std::optional(commits[0]), std::optional<Oid>()}) {
      const auto refused = kept.store().commit(move_ref(kMain, before, oids[1], objects));
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == Error::Code::conflict);
      CHECK(refused.error().message.find(kMain) != std::string::npos);
    }
    CHECK(kept.store().ref(kMain).value() == commits[1]);
    CHECK(kept.store().has(oids).value() == std::vector<bool>{false, false});
    CHECK(kept.store().operations(0, 100).value().size() == 2);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("one ref of several elsewhere refuses them all", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 1);
    Transaction both = move_ref(branch_ref("a"), {}, commits[0]);
    both.refs.push_back({kMain, {}, commits[0]});
    REQUIRE_FALSE(kept.store().commit(both));
    CHECK_FALSE(kept.store().ref(branch_ref("a")).value().has_value());
    CHECK(kept.store().operations(0, 100).value().size() == 1);
  }

  TEST_CASE_TEMPLATE("a retried commit is a success and no second operation", Kept, STORES) {
    Kept kept;
    History history;
    auto objects = history.turn({}, "once");
    const Transaction once = move_ref(kMain, {}, objects[1].oid, objects);
    const auto first = kept.store().commit(once);
    kept.reopen();
    const auto second = kept.store().commit(once);
    REQUIRE(second);
    CHECK(second->was_there);
    CHECK(second->operation == Oid{});
    CHECK(kept.store().newest_operation().value()->name == first->operation);
    CHECK(kept.store().operations(0, 100).value().size() == 1);
  }

  TEST_CASE_TEMPLATE("a retried deletion is a success too", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 1);
    const Transaction removal = move_ref(kMain, commits[0], {});
    REQUIRE(kept.store().commit(removal));
    CHECK(kept.store().commit(removal)->was_there);
    CHECK(kept.store().refs("").value().empty());
    CHECK(kept.store().operations(0, 100).value().size() == 2);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("what no operation may say is refused as invalid", Kept, STORES) {
    Kept kept;
    const Oid target = blob("target").oid;
    Transaction stays = move_ref(kMain, target, target);
    Transaction nameless = move_ref(kMain, {}, target);
    nameless.actor.clear();
    Transaction unsorted = move_ref(kMain, {}, target);
    unsorted.refs.push_back({branch_ref("a"), {}, target});
    Transaction before_1970 = move_ref(kMain, {}, target);
    before_1970.time.micros = kLastMicro + 1;
    for (const Transaction& each :
         {stays, nameless, unsorted, before_1970, move_ref("heads/main", {}, target),
          move_ref("refs/heads/a b", {}, target), move_ref("refs/heads/", {}, target)}) {
      const auto refused = kept.store().commit(each);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == Error::Code::invalid);
    }
    CHECK(kept.store().operations(0, 100).value().empty());
  }

  TEST_CASE_TEMPLATE("an operation carries undo and map", Kept, STORES) {
    Kept kept;
    const Oid target = blob("target").oid;
    Transaction transaction = move_ref(kMain, {}, target);
    transaction.undo = blob("undone").oid;
    transaction.map = {{blob("old").oid, blob("new").oid}};
    REQUIRE(kept.store().commit(transaction));
    const auto operation = parse_operation(kept.store().newest_operation().value()->body).value();
    CHECK(operation.undo == transaction.undo);
    CHECK(operation.map == transaction.map);
  }

  TEST_CASE_TEMPLATE("refs are listed by prefix, in order of name", Kept, STORES) {
    Kept kept;
    const Oid target = blob("target").oid;
    Transaction many = move_ref("refs/heads/b", {}, target);
    for (const char* name : {"refs/heads/b/c", "refs/heads/é", "refs/tags/b"}) {
      many.refs.push_back({name, {}, target});
    }
    REQUIRE(kept.store().commit(many));
    kept.reopen();
    const auto names = [&kept](std::string_view prefix) {
      std::vector<std::string> found;
      for (const Ref& each : kept.store().refs(prefix).value()) found.push_back(each.name);
      return found;
    };
    using Names = std::vector<std::string>;
    CHECK(names("") == Names{"refs/heads/b", "refs/heads/b/c", "refs/heads/é", "refs/tags/b"});
    CHECK(names("refs/heads/") == Names{"refs/heads/b", "refs/heads/b/c", "refs/heads/é"});
    CHECK(names("refs/heads/b") == Names{"refs/heads/b", "refs/heads/b/c"});
    CHECK(names("refs/tags/c").empty());
  }

  TEST_CASE_TEMPLATE("many operations over many refs end in the same refs after reopening", Kept,
                     STORES) {
    Kept kept;
    RefMap expected;
    for (int i = 0; i < 400; ++i) {
      const std::string name = branch_ref("b" + std::to_string(i * i % 17));
      const auto before = kept.store().ref(name).value();
      std::optional<Oid> after;
      if (i % 5 != 4 || !before) after = blob(std::to_string(i)).oid;
      REQUIRE(kept.store().commit(move_ref(name, before, after)));
      if (after) {
        expected.insert_or_assign(name, *after);
      } else {
        expected.erase(name);
      }
      if (i % 61 == 0) kept.reopen();
      if (i % 97 == 0) check_sound(kept.store());
    }
    kept.reopen();
    RefMap found;
    for (const Ref& each : kept.store().refs("").value()) found.emplace(each.name, each.target);
    CHECK(found == expected);
    CHECK(kept.store().operations(0, 1000).value().size() == 400);
    check_sound(kept.store());
    REQUIRE(kept.store().rebuild());
    check_sound(kept.store());
    found.clear();
    for (const Ref& each : kept.store().refs("").value()) found.emplace(each.name, each.target);
    CHECK(found == expected);
  }

  TEST_CASE_TEMPLATE("run walks the first-parent chain, newest first", Kept, STORES) {
    Kept kept;
    History history;
    auto commits = grow(kept.store(), history, "main", 50);
    kept.reopen();
    std::reverse(commits.begin(), commits.end());
    CHECK(walk(kept.store(), commits[0], 1000) == commits);
    CHECK(walk(kept.store(), commits[0], 50) == commits);
    CHECK(walk(kept.store(), commits[0], 0).empty());
    CHECK(walk(kept.store(), commits[10], 3) ==
          std::vector<Oid>(commits.begin() + 10, commits.begin() + 13));
    CHECK(walk(kept.store(), commits.back(), 9) == std::vector<Oid>{commits.back()});
  }

  TEST_CASE_TEMPLATE("run follows each of several branches over their forks", Kept, STORES) {
    Kept kept;
    History history;
    const auto trunk = grow(kept.store(), history, "main", 10);
    std::vector<std::vector<Oid>> chains;
    for (int i = 0; i < 5; ++i) {
      const std::string name = "b" + std::to_string(i);
      const auto fork = static_cast<std::size_t>(2 * i + 1);
      REQUIRE(kept.store().commit(move_ref(branch_ref(name), {}, trunk[fork])));
      std::vector<Oid> chain(trunk.begin(), trunk.begin() + static_cast<std::ptrdiff_t>(fork) + 1);
      const auto own = grow(kept.store(), history, name, 4 + i);
      chain.insert(chain.end(), own.begin(), own.end());
      std::reverse(chain.begin(), chain.end());
      chains.push_back(std::move(chain));
    }
    kept.reopen();
    for (const auto& chain : chains) CHECK(walk(kept.store(), chain[0], 1000) == chain);
    check_sound(kept.store());
    REQUIRE(kept.store().rebuild());
    for (const auto& chain : chains) CHECK(walk(kept.store(), chain[0], 1000) == chain);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("run follows the first parent of a merge", Kept, STORES) {
    Kept kept;
    const auto line = grow_merge(kept.store());
    CHECK(walk(kept.store(), line[2], 10) == std::vector<Oid>{line[2], line[1], line[0]});
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("run hands out bodies, and contents when asked", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 6);
    for (const std::size_t contents : {std::size_t{0}, std::size_t{1}, Store::kAllContents}) {
      int i = 5;
      REQUIRE(kept.store().run(commits[5], 100, contents, [&](const Store::RunStep& step) {
        CHECK(object_name(Kind::commit, step.body) == step.oid);
        const bool is_wanted = contents > 1 || (contents == 1 && i == 5);
        CHECK((step.content != nullptr) == is_wanted);
        if (is_wanted) CHECK(step.content->body == blob("main " + std::to_string(i)).body);
        CHECK(kept.store().has(std::array{step.oid}).value()[0]);  // The visitor may ask.
        --i;
        return true;
      }));
      CHECK(i == -1);
    }
  }

  TEST_CASE_TEMPLATE("run stops where the visitor says so", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 6);
    int seen = 0;
    REQUIRE(kept.store().run(commits[5], 100, Store::kAllContents,
                             [&seen](const Store::RunStep&) { return ++seen < 2; }));
    CHECK(seen == 2);
  }

  TEST_CASE_TEMPLATE("run from an absent name, or from no commit, hands out nothing", Kept,
                     STORES) {
    Kept kept;
    REQUIRE(kept.store().put(std::array{blob("x")}));
    CHECK(walk(kept.store(), Oid{}, 10).empty());
    CHECK(walk(kept.store(), blob("x").oid, 10).empty());
  }

  TEST_CASE_TEMPLATE("run ends at bytes that name no parent, and hands them out", Kept, STORES) {
    Kept kept;
    History history;
    const NewObject odd = new_object(Kind::commit, "this is no commit");
    REQUIRE(kept.store().put(std::array{odd}));
    CHECK(walk(kept.store(), odd.oid, 10) == std::vector<Oid>{odd.oid});
  }

  TEST_CASE_TEMPLATE("follow leads to each ancestor in few steps", Kept, STORES) {
    Kept kept;
    History history;
    constexpr std::uint64_t kTurns = 300;
    const auto commits = grow(kept.store(), history, "main", kTurns);
    kept.reopen();
    for (std::uint64_t goal = 0; goal < kTurns; goal += goal < 20 ? 1 : 13) {
      for (const std::uint64_t from : {goal, std::min(goal + 1, kTurns - 1), kTurns - 1}) {
        std::vector<Oid> expected = {commits[from]};
        for (std::uint64_t depth = from; depth > goal; expected.push_back(commits[depth])) {
          depth = skips_toward(depth, goal) ? skip_height(depth) : depth - 1;
        }
        CHECK(way(kept.store(), commits[from], from - goal) == expected);
        CHECK(expected.size() <= 30);
      }
    }
  }

  TEST_CASE_TEMPLATE("follow stays on the line of first parents", Kept, STORES) {
    Kept kept;
    const auto line = grow_merge(kept.store());
    CHECK(way(kept.store(), line[2], 1) == std::vector<Oid>{line[2], line[1]});
    CHECK(way(kept.store(), line[2], 2) == std::vector<Oid>{line[2], line[0]});
  }

  TEST_CASE_TEMPLATE("follow ends where there is nothing to lead on", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 40);
    const Oid& tip = commits.back();
    const NewObject odd = new_object(Kind::commit, "this is no commit");
    const NewObject deep = new_object(Kind::commit, "op append\ntype user\nparent " + tip.hex() +
                                                        "\ndepth 18446744073709551615\n");
    REQUIRE(kept.store().put(std::array{blob("x"), odd, deep}));
    CHECK(way(kept.store(), Oid{}, 1).empty());
    CHECK(way(kept.store(), blob("x").oid, 1).empty());
    CHECK(way(kept.store(), odd.oid, 1) == std::vector<Oid>{odd.oid});
    CHECK(way(kept.store(), deep.oid, 0) == std::vector<Oid>{deep.oid});
    CHECK(way(kept.store(), tip, 40) == std::vector<Oid>{tip});
    CHECK(way(kept.store(), tip, std::numeric_limits<std::uint64_t>::max()) ==
          std::vector<Oid>{tip});
    int seen = 0;
    REQUIRE(kept.store().follow(tip, 39, [&seen](const Store::RunStep& step) {
      CHECK(step.content == nullptr);
      return ++seen < 2;
    }));
    CHECK(seen == 2);
    const std::vector<Oid> whole = way(kept.store(), tip, 39);
    REQUIRE(whole.size() > 3);
    REQUIRE(kept.store().erase(std::array{whole[2]}).value() == 1);
    CHECK(way(kept.store(), tip, 39) == std::vector<Oid>{whole[0], whole[1]});
  }

  TEST_CASE_TEMPLATE("run goes on without contents that are absent", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 3);
    CHECK(kept.store().erase(std::array{blob("main 1").oid}).value() == 1);
    std::vector<bool> had;
    REQUIRE(
        kept.store().run(commits[2], 10, Store::kAllContents, [&had](const Store::RunStep& step) {
          had.push_back(step.content != nullptr);
          return true;
        }));
    CHECK(had == std::vector<bool>{true, false, true});
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("a chain put child first is walked all the same", Kept, STORES) {
    Kept kept;
    History history;
    std::vector<NewObject> objects;
    std::vector<Oid> commits;
    std::optional<Oid> tip;
    for (int i = 0; i < 9; ++i) {
      for (NewObject& each : history.turn(tip, std::to_string(i))) objects.push_back(each);
      tip = history.last();
      commits.push_back(*tip);
    }
    std::reverse(objects.begin(), objects.end());
    std::reverse(commits.begin(), commits.end());
    REQUIRE(kept.store().commit(move_ref(kMain, {}, tip, objects)));
    CHECK(walk(kept.store(), *tip, 100) == commits);
    check_sound(kept.store());
    REQUIRE(kept.store().rebuild());
    CHECK(walk(kept.store(), *tip, 100) == commits);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("a whole history in one transaction is walked like any other", Kept, STORES) {
    Kept kept;
    History history;
    std::vector<NewObject> objects;
    std::vector<Oid> commits;
    std::optional<Oid> tip;
    for (int i = 0; i < 300; ++i) {
      for (NewObject& each : history.turn(tip, std::to_string(i))) objects.push_back(each);
      tip = history.last();
      commits.insert(commits.begin(), *tip);
    }
    REQUIRE(kept.store().commit(move_ref(kMain, {}, tip, objects)));
    CHECK(walk(kept.store(), *tip, 1000) == commits);
    CHECK(kept.store().operations(0, 10).value().size() == 1);
  }

  TEST_CASE_TEMPLATE("operation_at finds what was newest then, for a ref or for all", Kept,
                     STORES) {
    Kept kept;
    const Oid target = blob("target").oid;
    REQUIRE(kept.store().commit(move_ref(branch_ref("a"), {}, target, {}, at(10))));
    REQUIRE(kept.store().commit(move_ref(branch_ref("b"), {}, target, {}, at(20))));
    REQUIRE(kept.store().commit(move_ref(branch_ref("c"), {}, target, {}, at(20))));
    REQUIRE(kept.store().commit(move_ref(branch_ref("a"), target, {}, {}, at(30))));
    const auto number_at = [&kept](std::string_view ref, int second) {
      const auto found = kept.store().operation_at(ref, at(second)).value();
      return found ? found->number : 0;
    };
    CHECK(number_at("", 9) == 0);
    CHECK(number_at("", 10) == 1);
    CHECK(number_at("", 19) == 1);
    CHECK(number_at("", 20) == 3);
    CHECK(number_at("", 99) == 4);
    CHECK(number_at(branch_ref("a"), 25) == 1);
    CHECK(number_at(branch_ref("a"), 30) == 4);
    CHECK(number_at(branch_ref("b"), 99) == 2);
    CHECK(number_at(branch_ref("b"), 19) == 0);
    CHECK(number_at(branch_ref("x"), 99) == 0);
    CHECK(number_at("refs/heads", 99) == 0);
  }

  TEST_CASE_TEMPLATE("erased objects are gone, and can come back", Kept, STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 3);
    const NewObject victim = blob("main 1");
    CHECK(kept.store().erase(std::array{victim.oid, Oid{}, victim.oid}).value() == 1);
    kept.reopen();
    CHECK_FALSE(kept.store().has(std::array{victim.oid}).value()[0]);
    CHECK(kept.store().find(victim.oid.hex(), Kind::blob, 5).value().empty());
    check_sound(kept.store());
    REQUIRE(kept.store().put(std::array{victim}));
    CHECK(kept.store().get(std::array{victim.oid}).value()[0] == Object{Kind::blob, victim.body});
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("an object that one change erases and puts stays", Kept, STORES) {
    Kept kept;
    History history;
    grow(kept.store(), history, "main", 3);
    const NewObject object = blob("main 1");
    Transaction change;
    change.objects = {object, blob("new")};
    change.erase = {object.oid};
    CHECK(kept.store().commit(change).value().erased == 1);
    for (int i = 0; i < 2; ++i) {  // Also when the keys of what went are destroyed.
      kept.reopen();
      CHECK(kept.store().get(std::array{object.oid}).value()[0] == Object{Kind::blob, object.body});
      REQUIRE(kept.store().erase(std::array{blob("new").oid}));
    }
    CHECK(kept.store().erase(std::array{object.oid}).value() == 1);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("erasing commits anywhere leaves a sound store that still grows", Kept,
                     STORES) {
    Kept kept;
    History history;
    const auto commits = grow(kept.store(), history, "main", 6);
    CHECK(kept.store().erase(std::array{commits[5], commits[2]}).value() == 2);
    check_sound(kept.store());
    CHECK(walk(kept.store(), commits[4], 10) == std::vector<Oid>{commits[4], commits[3]});
    REQUIRE(kept.store().commit(move_ref(kMain, commits[5], commits[4])));
    const auto more = grow(kept.store(), history, "main", 2);
    CHECK(walk(kept.store(), more[1], 3) == std::vector<Oid>{more[1], more[0], commits[4]});
    check_sound(kept.store());
    // The lost one returns, and another child of its parent with it.
    REQUIRE(kept.store().put(History().turn({}, "unrelated")));
    auto sibling = history.turn(commits[1], "sibling");
    REQUIRE(kept.store().put(sibling));
    History again;
    std::optional<Oid> tip;
    for (int i = 0; i < 3; ++i) {
      REQUIRE(kept.store().put(again.turn(tip, "main " + std::to_string(i))));
      tip = again.last();
    }
    CHECK(*tip == commits[2]);
    CHECK(walk(kept.store(), more[1], 100).size() == 7);
    CHECK(walk(kept.store(), sibling[1].oid, 100).size() == 3);
    check_sound(kept.store());
    REQUIRE(kept.store().rebuild());
    CHECK(walk(kept.store(), more[1], 100).size() == 7);
    CHECK(walk(kept.store(), sibling[1].oid, 100).size() == 3);
    check_sound(kept.store());
  }

  TEST_CASE_TEMPLATE("local facts are kept, replaced and removed", Kept, STORES) {
    Kept kept;
    CHECK_FALSE(kept.store().local("head").value().has_value());
    REQUIRE(kept.store().set_local("head", "refs/heads/main"));
    REQUIRE(kept.store().set_local("empty", ""));
    kept.reopen();
    CHECK(kept.store().local("head").value() == "refs/heads/main");
    CHECK(kept.store().local("empty").value() == "");
    REQUIRE(kept.store().set_local("head", "other"));
    CHECK(kept.store().local("head").value() == "other");
    REQUIRE(kept.store().set_local("head", std::nullopt));
    REQUIRE(kept.store().set_local("never", std::nullopt));
    CHECK_FALSE(kept.store().local("head").value().has_value());
    REQUIRE(kept.store().rebuild());
    CHECK(kept.store().local("empty").value() == "");
  }

  TEST_CASE_TEMPLATE("cached data is kept under any key, apart from local facts", Kept, STORES) {
    Kept kept;
    const std::string key("k\0\xff", 3);
    const std::string value("v\0\xfe", 3);
    CHECK_FALSE(kept.store().cached(key).value().has_value());
    REQUIRE(kept.store().put_cached(key, value));
    REQUIRE(kept.store().put_cached("", "nameless"));
    kept.reopen();
    CHECK(kept.store().cached(key).value() == value);
    CHECK(kept.store().cached("").value() == "nameless");
    REQUIRE(kept.store().put_cached(key, "new"));
    CHECK(kept.store().cached(key).value() == "new");
    CHECK_FALSE(kept.store().local(key).value().has_value());
  }

  TEST_CASE_TEMPLATE("exclusive passes on what its body answers", Kept, STORES) {
    Kept kept;
    CHECK(kept.store().exclusive([] { return Result<void>(); }));
    const auto failed =
        kept.store().exclusive([]() -> Result<void> { return conflict("as you like"); });
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == Error::Code::conflict);
    CHECK(kept.store().set_local("after", "still writable"));
  }

  TEST_CASE_TEMPLATE("exclusive works inside exclusive, and sees its own commits", Kept, STORES) {
    Kept kept;
    History history;
    Store& store = kept.store();
    REQUIRE(store.exclusive([&] {
      return store.exclusive([&]() -> Result<void> {
        TRY(append(store, history, "main", "inside"));
        CHECK(TRY(store.ref(kMain)) == history.last());
        CHECK(TRY(store.has(std::array{history.last()}))[0]);
        return {};
      });
    }));
    CHECK(store.ref(kMain).value() == history.last());
  }

  TEST_CASE_TEMPLATE("threads append to one branch under exclusive and lose nothing", Kept,
                     STORES) {
    Kept kept;
    Store& store = kept.store();
    constexpr int kThreads = 4;
    constexpr int kEach = 50;
    std::atomic<int> failures = 0;
    History history;  // Used under exclusive() only.
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          const auto done = store.exclusive([&]() -> Result<void> {
            TRY(append(store, history, "main", std::to_string(t) + "/" + std::to_string(i)));
            return {};
          });
          if (!done) ++failures;
        }
      });
    }
    // A reader meanwhile: whatever it sees is whole.
    std::atomic<bool> stop = false;
    std::atomic<int> torn = 0;
    std::thread reader([&] {
      while (!stop) {
        const auto tip = store.ref(kMain);
        if (!tip) ++torn;
        if (!tip || !tip->has_value()) continue;
        std::size_t depth = 0;
        const auto walked =
            store.run(**tip, 10'000, Store::kAllContents, [&depth](const Store::RunStep& step) {
              depth += step.content != nullptr ? 1 : 0;
              return true;
            });
        const auto at_least = store.newest_operation();
        if (!walked || depth == 0 || !at_least || (*at_least)->number < depth) ++torn;
      }
    });
    for (auto& each : threads) each.join();
    stop = true;
    reader.join();
    CHECK(failures == 0);
    CHECK(torn == 0);
    CHECK(walk(store, *store.ref(kMain).value(), 10'000).size() == kThreads * kEach);
    check_sound(store);
  }

  TEST_CASE_TEMPLATE("of two that move a ref from the same place, one wins", Kept, STORES) {
    Kept kept;
    Store& store = kept.store();
    constexpr int kRounds = 50;
    std::atomic<int> won = 0;
    std::atomic<int> wrong = 0;
    const auto racer = [&](const std::string& me) {
      for (int i = 0; i < kRounds; ++i) {
        const std::string name = branch_ref("race" + std::to_string(i));
        const auto done = store.commit(move_ref(name, {}, blob(me).oid, {blob(me)}));
        if (done && !done->was_there) ++won;
        if (!done && done.error().code != Error::Code::conflict) ++wrong;
      }
    };
    std::thread one(racer, "one");
    std::thread two(racer, "two");
    one.join();
    two.join();
    CHECK(won == kRounds);
    CHECK(wrong == 0);
    CHECK(store.operations(0, 1000).value().size() == kRounds);
  }

  TEST_CASE_TEMPLATE("another's change is seen after any write of one's own that moves no ref",
                     Kept, STORES) {
    Kept kept;
    Store& own = kept.store();
    Store& other = kept.another();
    const std::vector<std::function<Result<void>()>> writes = {
        [&] { return own.put_cached("key", "value"); },
        [&] { return own.set_local("fact", "value"); },
        [&] { return own.set_property("option", "value"); },
        [&] { return own.put(std::array{blob("loose")}); }};
    std::optional<Oid> tip;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const NewObject mine = blob("mine " + std::to_string(i));
      const NewObject theirs = blob("theirs " + std::to_string(i));
      REQUIRE(own.commit(move_ref(kMain, tip, mine.oid, {mine})));
      REQUIRE(other.commit(move_ref(kMain, mine.oid, theirs.oid, {theirs})));
      REQUIRE(writes[i]());
      const NewObject next = blob("next " + std::to_string(i));
      Transaction change = move_ref(kMain, theirs.oid, next.oid, {next});
      change.required = {theirs.oid};
      const auto made = own.commit(change);
      REQUIRE(made);
      CHECK_FALSE(made->was_there);
      tip = next.oid;
    }
    CHECK(own.newest_operation().value()->number == 3 * writes.size());
    check_sound(own);
  }
}
