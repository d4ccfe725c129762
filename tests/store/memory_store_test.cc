#include "store/memory_store.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/store/sample.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

TEST_SUITE("store/memory_store") {
  TEST_CASE("two stores know nothing of each other") {
    MemoryStore one;
    MemoryStore two;
    REQUIRE(one.put(std::array{blob("x")}));
    CHECK_FALSE(two.has(std::array{blob("x").oid}).value()[0]);
  }

  TEST_CASE("rebuild drops what was cached") {
    MemoryStore store;
    REQUIRE(store.put_cached("key", "value"));
    REQUIRE(store.rebuild());
    CHECK_FALSE(store.cached("key").value().has_value());
  }
}
