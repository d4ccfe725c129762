#include "base/text.h"

#include <doctest/doctest.h>

namespace spoor::store {

TEST_SUITE("store/text") {
  TEST_CASE("the ends are trimmed, and nothing between them") {
    CHECK(trimmed(" \t\r\n\f\va b \n") == "a b");
    CHECK(trimmed("a").data() != nullptr);
    CHECK(trimmed(" \n ") == "");
    CHECK(trimmed("") == "");
    CHECK(trimmed("\n a \n", " ") == "\n a \n");
  }

  TEST_CASE("letters of ASCII become small, other bytes stay") {
    CHECK(lowered("AZ az 09 @[") == "az az 09 @[");
    CHECK(lowered("\xc3\x84\xff") == "\xc3\x84\xff");
  }
}

}  // namespace spoor::store
