#include <doctest/doctest.h>

#include <fmt/format.h>

#include "graph/repository.h"

using namespace spoor;
using store::Mode;
using store::Oid;

namespace {

struct Histories {
  std::unique_ptr<graph::Repository> repository = graph::Repository::in_memory();

  graph::Branch branch(const std::string& name) { return repository->branch(name); }
  Oid tip(const std::string& name) { return branch(name).tip().value().value(); }

  void fork(const std::string& name, const std::string& from) {
    repository->create_branch(name, tip(from)).value();
  }

  void merge(const std::string& into, const std::string& from, Mode mode = Mode::append) {
    repository
        ->transact("merge", graph::OnConflict::fail,
                   [&](graph::Draft& draft) -> spoor::Result<void> {
                     TRY(draft.merge(store::branch_ref(into), tip(from), mode, {}, nullptr, {}));
                     return {};
                   })
        .value();
  }

  void compress(const std::string& name, const std::string& summary) {
    repository
        ->transact("compress", graph::OnConflict::fail,
                   [&](graph::Draft& draft) -> spoor::Result<void> {
                     const compile::Turn turn{.type = store::Type::summary, .text = summary};
                     TRY(draft.compress(store::branch_ref(name), {}, turn, {}));
                     return {};
                   })
        .value();
  }

  std::vector<std::string> texts(const std::string& name) {
    repository->drop_caches();
    std::vector<std::string> all;
    for (const auto& message : branch(name).compile().value().messages) {
      all.push_back(message.text());
    }
    return all;
  }
};

using Texts = std::vector<std::string>;

// "main" and "side" edited one message differently, and "main" has merged "side".
struct Contested : Histories {
  Oid asked = branch("main").user("q").value();

  Contested() {
    fork("side", "main");
    branch("main").edit(asked, "ours").value();
    branch("side").edit(asked, "theirs").value();
    merge("main", "side");
  }

  std::size_t conflicts(const std::string& name, std::uint32_t version = 2) {
    repository->drop_caches();
    return branch(name).compile({.version = version}).value().conflicts.size();
  }
  bool is_strict(const std::string& name, std::uint32_t version = 2) {
    return branch(name).compile({.strict = true, .version = version}).has_value();
  }
};

}  // namespace

TEST_SUITE("compile/merge_fold") {
  TEST_CASE("a history of many merges is folded once, not once for each way through it") {
    Histories histories;
    histories.branch("main").user("base").value();
    constexpr int kMerges = 64;  // Two ways through each: 2^64 of them.
    for (int i = 0; i < kMerges; ++i) {
      const std::string side = fmt::format("side{}", i);
      histories.fork(side, "main");
      histories.branch(side).user(fmt::format("s{}", i)).value();
      histories.branch("main").user(fmt::format("m{}", i)).value();
      histories.merge("main", side);
    }
    CHECK(histories.texts("main").size() == 1 + 2 * kMerges);
  }

  TEST_CASE("two branches that merge each other again and again are folded once") {
    Histories histories;
    histories.branch("a").user("base").value();
    histories.fork("b", "a");
    for (int i = 0; i < 40; ++i) {
      histories.branch("a").user(fmt::format("a{}", i)).value();
      histories.branch("b").user(fmt::format("b{}", i)).value();
      histories.merge(i % 2 == 0 ? "a" : "b", i % 2 == 0 ? "b" : "a");
    }
    CHECK(histories.texts("a").size() >= 80);
  }

  TEST_CASE("a summary of a summary comes in where the first message stood") {
    Histories histories;
    histories.branch("main").user("u1").value();
    histories.branch("main").user("u2").value();
    histories.fork("side", "main");
    histories.compress("side", "S1");
    histories.branch("side").user("u3").value();
    histories.compress("side", "S2");
    histories.branch("main").user("m1").value();
    histories.merge("main", "side");
    CHECK(histories.texts("main") == Texts{"S2", "m1"});
  }

  TEST_CASE("a compress that a merge ignored stays ignored at the next one") {
    Histories histories;
    histories.branch("main").user("u1").value();
    histories.fork("side", "main");
    histories.compress("side", "S");
    histories.branch("main").user("m1").value();
    histories.merge("main", "side", Mode::ours);
    histories.branch("side").user("u5").value();
    histories.merge("main", "side");
    CHECK(histories.texts("main") == Texts{"u1", "m1", "u5"});
  }

  TEST_CASE("an annotation settles a conflict of an edit, but for version 1") {
    Contested world;
    REQUIRE(world.conflicts("main") == 1);
    CHECK_FALSE(world.is_strict("main"));
    world.branch("main").annotate(world.asked, store::Priority::normal).value();
    CHECK(world.conflicts("main") == 0);
    CHECK(world.is_strict("main"));
    CHECK(world.conflicts("main", 1) == 1);
    CHECK_FALSE(world.is_strict("main", 1));
    CHECK(world.texts("main") == Texts{"ours"});
  }

  TEST_CASE("an edit settles a conflict of priorities, but for version 1") {
    Contested world;
    const Oid other = world.branch("main").user("q2").value();
    world.fork("later", "main");
    world.branch("main").annotate(other, store::Priority::pinned).value();
    world.branch("later").annotate(other, store::Priority::skip).value();
    world.branch("main").edit(world.asked, "settled").value();
    world.merge("main", "later");
    REQUIRE(world.conflicts("main") == 1);
    world.branch("main").edit(other, "q2, again").value();
    CHECK(world.conflicts("main") == 0);
    CHECK(world.conflicts("main", 1) == 1);
  }

  TEST_CASE("an annotation of another message settles nothing") {
    Contested world;
    const Oid other = world.branch("main").user("q2").value();
    world.branch("main").annotate(other, store::Priority::pinned).value();
    CHECK(world.conflicts("main") == 1);
  }

  TEST_CASE("a conflict that one side settled by an annotation is settled in a merge of both") {
    for (const bool is_ours : {true, false}) {
      Contested world;
      world.fork("later", "main");
      world.branch(is_ours ? "main" : "later")
          .annotate(world.asked, store::Priority::pinned)
          .value();
      world.branch("main").user("on").value();
      world.branch("later").user("and on").value();
      world.merge("main", "later");
      CHECK(world.conflicts("main") == 0);
      CHECK(world.conflicts("main", 1) == 1);
    }
  }

  TEST_CASE("edits that differ after an annotation are a conflict again") {
    Contested world;
    world.branch("main").annotate(world.asked, store::Priority::normal).value();
    world.fork("later", "main");
    world.branch("main").edit(world.asked, "ours again").value();
    world.branch("later").edit(world.asked, "theirs again").value();
    world.merge("main", "later");
    CHECK(world.conflicts("main") == 1);
  }
}
