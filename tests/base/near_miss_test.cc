#include "base/near_miss.h"

#include <doctest/doctest.h>

#include <vector>

using namespace spoor;

TEST_SUITE("base/near_miss") {
  TEST_CASE("one edit is an insert, delete, replace or swap") {
    CHECK(edit_distance("log", "log") == 0);
    CHECK(edit_distance("lgo", "log") == 1);
    CHECK(edit_distance("lo", "log") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("", "abc") == 3);
  }

  TEST_CASE("only what is near is suggested") {
    const std::vector<std::string_view> known = {"log", "show", "switch"};
    CHECK(near_miss("lgo", known) == "log");
    CHECK(near_miss("swich", known) == "switch");
    CHECK(near_miss("sw", known) == "switch");
    CHECK(near_miss("frobnicate", known).empty());
    CHECK(near_miss("", known).empty());
  }
}
