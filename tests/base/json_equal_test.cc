#include "base/json/equal.h"

#include <doctest/doctest.h>

#include <string>

using namespace spoor;
using namespace spoor::json;

namespace {

bool are_equal(const std::string& a, const std::string& b) {
  const Document x = parse(a).value();
  const Document y = parse(b).value();
  return equal(x.root(), y.root());
}

}  // namespace

TEST_SUITE("base/json/equal") {
  TEST_CASE("numbers are compared by value, whatever their digits") {
    CHECK(compare_numbers("1", "1.0") == 0);
    CHECK(compare_numbers("1e3", "1000") == 0);
    CHECK(compare_numbers("-0", "0.000") == 0);
    CHECK(compare_numbers("0.1", "1E-1") == 0);
    CHECK(compare_numbers("9007199254740993", "9007199254740992") > 0);
    CHECK(compare_numbers("-2", "-1") < 0);
    CHECK(compare_numbers("-1", "0") < 0);
    CHECK(compare_numbers("0", "1e-400") < 0);
    CHECK(compare_numbers("-1e-400", "0") < 0);
    CHECK(compare_numbers("1e400", "9e399") > 0);
    CHECK(compare_numbers("12", "2") > 0);
    CHECK(compare_numbers("1.5", "1.25") > 0);
    CHECK(compare_numbers("1e99999999999999999999", "1") > 0);
    CHECK(compare_numbers("1e-99999999999999999999", "1") < 0);
  }

  TEST_CASE("whole numbers") {
    for (const char* token : {"0", "-0.0", "7", "1.0", "1e3", "12.50e1", "1e400"}) {
      CAPTURE(token);
      CHECK(is_whole(token));
    }
    for (const char* token : {"0.5", "1e-1", "12.55e1", "1.0000000000000000000001"}) {
      CAPTURE(token);
      CHECK_FALSE(is_whole(token));
    }
  }

  TEST_CASE("values are equal as JSON means it") {
    CHECK(are_equal(R"({"a":1,"b":[true,null]})", R"({ "b": [true, null], "a": 1.0 })"));
    CHECK(are_equal(R"("\u0041")", R"("A")"));
    CHECK(are_equal(R"({"a":1,"a":2})", R"({"a":2})"));
    CHECK_FALSE(are_equal("[1,2]", "[2,1]"));
    CHECK_FALSE(are_equal("[1]", "[1,1]"));
    CHECK_FALSE(are_equal("[]", "[1]"));
    CHECK_FALSE(are_equal("{}", R"({"a":null})"));
    CHECK_FALSE(are_equal(R"({"a":1})", R"({"b":1})"));
    CHECK_FALSE(are_equal("1", "true"));
    CHECK_FALSE(are_equal("0", "false"));
    CHECK_FALSE(are_equal(R"("")", "null"));
    CHECK(equal(Value(), Value()));
  }
}
