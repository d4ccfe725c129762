#include "report/event/canonical.h"

#include <doctest/doctest.h>

namespace spoor::report {

TEST_SUITE("report/event/canonical") {
  TEST_CASE("numbers are those of ECMAScript") {
    CHECK(canonical_rfc8785("[0.10e1,-0.0,1E-7,1e21,5e-324,100,1.50]") ==
          "[1,0,1e-7,1e+21,5e-324,100,1.5]");
    CHECK(canonical_rfc8785("[12345678901234567890]") == "[12345678901234567000]");
    CHECK(canonical_rfc8785("[true,null,false]") == "[true,null,false]");
  }

  // The example of RFC 8785, section 3.2.3.
  TEST_CASE("keys are sorted by their UTF-16 code units") {
    const auto sorted = canonical_rfc8785(
        R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",)"
        R"("1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",)"
        R"("\u00f6":"Latin Small Letter O With Diaeresis"})");
    CHECK(sorted ==
          "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\","
          "\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\","
          "\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\","
          "\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
    CHECK(canonical_rfc8785("{\"\xf0\x9f\x98\x80\":1,\"\xed\x9f\xbf\":2,\"\xee\x80\x80\":3}") ==
          "{\"\xed\x9f\xbf\":2,\"\xf0\x9f\x98\x80\":1,\"\xee\x80\x80\":3}");
    CHECK(canonical_rfc8785(R"({"ab":1,"a":2,"":3})") == R"({"":3,"a":2,"ab":1})");
  }

  TEST_CASE("what has no canonical bytes has none") {
    CHECK_FALSE(canonical_rfc8785(R"({"a":1,"a":2})"));
    CHECK_FALSE(canonical_rfc8785(R"({"a":1,"\u0061":2})"));
    CHECK_FALSE(canonical_rfc8785(R"(["\ud800"])"));
    CHECK_FALSE(canonical_rfc8785(R"({"\ud800":1})"));
    CHECK_FALSE(canonical_rfc8785("[1e400]"));
    CHECK_FALSE(canonical_rfc8785("[1,2"));
  }
}

}  // namespace spoor::report
