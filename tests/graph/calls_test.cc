// How many calls of the port each operation makes. With an engine on another machine each is a wait
// for the network, so the numbers are a budget: a test of more is a change to argue for.
#include <doctest/doctest.h>

#include "graph/repository.h"
#include "store/archive.h"
#include "store/memory_store.h"
#include "tests/support/passing_store.h"

using namespace spoor;
using namespace spoor::graph;

namespace {

// Counts the calls.
class CountedStore final : public testing::PassingStore {
 public:
  CountedStore(int& calls, int& searches) : calls_(calls), searches_(searches) {}

  Result<std::vector<Oid>> find(std::string_view prefix, store::Kind kind,
                                std::size_t limit) const override {
    if (prefix.empty()) ++searches_;
    return PassingStore::find(prefix, kind, limit);
  }

 private:
  store::Store& on() const override {
    ++calls_;
    return under_;
  }

  int& calls_;
  int& searches_;
  mutable store::MemoryStore under_;
};

struct Counted {
  int calls = 0;
  int searches = 0;  // Of them, for all objects of a kind.
  std::unique_ptr<Repository> repository =
      Repository::over(std::make_unique<CountedStore>(calls, searches), {}).value();
  Branch main = repository->branch("main");

  // The calls that `body` makes.
  template <class Body>
  int in(const Body& body) {
    calls = 0;
    REQUIRE(body());
    return calls;
  }
};

}  // namespace

TEST_SUITE("graph/calls") {
  TEST_CASE("an append is one call") {
    Counted counted;
    REQUIRE(counted.main.user("the first"));
    CHECK(counted.in([&] { return counted.main.user("hello"); }) == 1);
    CHECK(counted.in([&] { return counted.main.assistant("hello"); }) == 1);
    Branch other = counted.repository->branch("main");  // It has to ask where the branch is.
    CHECK(counted.in([&] { return other.user("from elsewhere"); }) == 2);
  }

  TEST_CASE("several turns are one call") {
    Counted counted;
    REQUIRE(counted.main.user("the first"));
    CHECK(counted.in([&] {
      return counted.main.commit(std::vector(100, Turn{.type = Type::user, .text = "a turn"}));
    }) == 1);
  }

  TEST_CASE("a change of the properties costs the next writer two calls, once") {
    Counted counted;
    REQUIRE(counted.main.user("the first"));
    REQUIRE(counted.repository->store().set_property("elsewhere", "set"));
    CHECK(counted.in([&] { return counted.main.user("stale, read, written"); }) == 3);
    CHECK(counted.in([&] { return counted.main.user("hello"); }) == 1);
  }

  TEST_CASE("compiling after an append reads the tip and the new text") {
    Counted counted;
    for (int i = 0; i < 200; ++i) REQUIRE(counted.main.user("a turn"));
    REQUIRE(counted.main.compile());
    REQUIRE(counted.main.user("one more"));
    CHECK(counted.in([&] { return counted.main.compile(); }) == 2);
  }

  TEST_CASE("an archive is a call for many commits") {
    Counted counted;
    std::vector<Turn> turns;
    for (int i = 0; i < 5'000; ++i) {
      turns.push_back({.type = store::Type::user, .text = std::to_string(i)});
    }
    REQUIRE(counted.main.commit(turns));
    const store::ArchiveHead head{.refs = counted.repository->store().refs("").value()};
    const int calls = counted.in([&] {
      return store::write_archive(counted.repository->store(), head,
                                  [](std::string_view) { return Result<void>(); });
    });
    CHECK(calls <= 100);  // 0.02 a commit.
    // A part asks for no list of all names, which an engine finds by reading them all.
    store::ArchiveHead part = head;
    part.haves = {counted.repository->resolve("main~100").value()};
    const int searches = counted.searches;
    REQUIRE(store::write_archive(counted.repository->store(), part,
                                 [](std::string_view) { return Result<void>(); }));
    CHECK(counted.searches == searches);
  }
}
