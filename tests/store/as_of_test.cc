#include "store/as_of.h"

#include <doctest/doctest.h>

#include "store/memory_store.h"
#include "tests/store/sample.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

TEST_SUITE("store/as_of") {
  TEST_CASE("refs and log end at the operation, objects do not, and nothing is written") {
    auto store = std::make_unique<MemoryStore>();
    History history;
    std::vector<Oid> tips;
    std::vector<Oid> operations;
    for (int i = 0; i < 5; ++i) {
      operations.push_back(
          append(*store, history, "main", std::to_string(i), at(i)).value().operation);
      tips.push_back(history.last());
    }
    const auto then = as_of(std::move(store), operations[2].hex(16)).value();
    CHECK(then->ref(branch_ref("main")).value() == tips[2]);
    CHECK(then->refs("refs/").value().size() == 1);
    CHECK(then->newest_operation().value()->name == operations[2]);
    CHECK(then->operations(0, 99).value().size() == 3);
    CHECK(then->operations(2, 99).value().size() == 1);
    CHECK(then->operations(3, 99).value().empty());
    CHECK(then->operation_at("", at(1)).value()->name == operations[1]);
    CHECK(then->operation_at("", at(99)).value()->name == operations[2]);
    CHECK(then->has(std::array{tips[4]}).value()[0]);
    CHECK_FALSE(then->put(std::array{blob("x")}));
    CHECK_FALSE(append(*then, history, "main", "more"));
    CHECK_FALSE(then->set_local("head", "x"));
    CHECK_FALSE(then->set_property("id", "x"));
  }

  TEST_CASE("an operation is named by 4 digits or more of one that is there") {
    for (const auto& [name, code] :
         {std::pair{"", Error::Code::invalid}, std::pair{"abc", Error::Code::invalid},
          std::pair{"nosuch", Error::Code::invalid}, std::pair{"0000", Error::Code::not_found}}) {
      const auto& shown = name;
      CAPTURE(shown);
      auto store = std::make_unique<MemoryStore>();
      History history;
      REQUIRE(append(*store, history, "main", "one"));
      const auto then = as_of(std::move(store), name);
      REQUIRE_FALSE(then);
      CHECK(then.error().code == code);
      CHECK_FALSE(then.error().hint.empty());
    }
  }
}
