#include "base/json/writer.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace spoor;
using namespace spoor::json;
using namespace std::string_literals;

TEST_SUITE("base/json/writer") {
  TEST_CASE("a list of texts is an array of strings") {
    CHECK(write_strings({}) == "[]");
    CHECK(write_strings({"a", "", "\"\n"}) == R"(["a","","\"\n"])");
  }

  TEST_CASE("an object is written with sorted keys and no space") {
    Object object;
    object.add_string("b", "x");
    object.add_integer("a", -12);
    object.add_boolean("c", true);
    object.add_raw_token("d", "20.50");
    object.add_json("e", "[1]");
    CHECK(object.write() == R"({"a":-12,"b":"x","c":true,"d":20.50,"e":[1]})");
    CHECK(Object().write() == "{}");
  }

  TEST_CASE("of two equal keys the one added last stays") {
    Object object;
    object.add_integer("a", 1);
    object.add_integer("a", 2);
    CHECK(object.write() == R"({"a":2})");
  }

  TEST_CASE("strings escape quotes, backslashes and control characters only") {
    CHECK(write_string("\"\\/\b\t\n\f\r") == R"("\"\\/\b\t\n\f\r")");
    CHECK(write_string("\0\x01\x1f\x7f"s) == "\"\\u0000\\u0001\\u001f\x7f\"");
    CHECK(write_string("\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80") ==
          "\"\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\"");
  }

  TEST_CASE("a lone surrogate stays, other broken bytes are replaced") {
    CHECK(write_string("a\xed\xa0\xbd-") == R"("a\ud83d-")");
    CHECK(write_string("\xed\xb8\x80") == R"("\ude00")");
    CHECK(write_string("\xff\xc3") == "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    CHECK(write_string("\xed\xa0") == "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  }

  TEST_CASE("two surrogates that make a pair are written as their character") {
    CHECK(write_string("\xed\xa0\xbd\xed\xb8\x80") == "\"\xf0\x9f\x98\x80\"");
    CHECK(write_string("\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80") == "\"\\ud83d\xf0\x9f\x98\x80\"");
  }

  TEST_CASE("keys are sorted by code point, not by UTF-16 unit") {
    // U+E000 sorts after a surrogate in UTF-16, before U+1F600 by code point.
    CHECK(canonical("{\"\\ud83d\\ude00\":1,\"\\ue000\":2,\"\\ud800\":3,\"z\":4}").value() ==
          "{\"z\":4,\"\\ud800\":3,\"\xee\x80\x80\":2,\"\xf0\x9f\x98\x80\":1}");
  }

  TEST_CASE("any JSON is brought into the one form") {
    CHECK(canonical(" { \"b\" : [ 1.0 , 1e5, true , null ], \"a\" : \"\\u0041\\/\" } ").value() ==
          R"({"a":"A/","b":[1.0,1e5,true,null]})");
    CHECK(canonical(R"({"a":1,"b":2,"\u0061":3})").value() == R"({"a":3,"b":2})");
    CHECK(canonical("12345678901234567890").value() == "12345678901234567890");
    CHECK_FALSE(canonical("{").has_value());
  }

  TEST_CASE("keys that become equal when repaired are one key") {
    CHECK(canonical("{\"\xff\":1,\"\xfe\":2}").value() == "{\"\xef\xbf\xbd\":2}");
  }

  TEST_CASE("only the one form of an object is canonical") {
    CHECK(is_canonical_object(R"({"a":1,"b":[]})"));
    CHECK(is_canonical_object("{}"));
    CHECK_FALSE(is_canonical_object(R"({"b":1,"a":2})"));
    CHECK_FALSE(is_canonical_object(R"({"a": 1})"));
    CHECK_FALSE(is_canonical_object(R"({"a":1,"a":1})"));
    CHECK_FALSE(is_canonical_object(R"({"a":"\u0041"})"));
    CHECK_FALSE(is_canonical_object(R"({"a":"\u001F"})"));
    CHECK_FALSE(is_canonical_object("[]"));
    CHECK_FALSE(is_canonical_object("{} "));
    CHECK_FALSE(is_canonical_object(""));
    CHECK_FALSE(is_canonical_object("{\"a\":\"\xff\"}"));
  }

  TEST_CASE("a bug of the caller is not written down") {
    Object object;
    CHECK_THROWS_AS(object.add_integer("a", kMaxExactInteger + 1), std::logic_error);
    CHECK_THROWS_AS(object.add_raw_token("a", "1,2"), std::logic_error);
    CHECK_THROWS_AS(object.add_raw_token("a", " 1"), std::logic_error);
    CHECK_THROWS_AS(object.add_raw_token("a", "\"1\""), std::logic_error);
  }

  TEST_CASE("what must be escaped is found at every distance") {
    for (std::size_t length = 0; length < 70; ++length) {
      for (const char byte : {'"', '\\', '\n', '\x1f'}) {
        const std::string clean(length, 'x');
        std::string out;
        append_escaped(out, clean + byte + clean);
        CHECK(unescape(out) == clean + byte + clean);
        CHECK(out.size() > 2 * length + 1);
      }
    }
  }

  TEST_CASE("bytes from 0x80 on are copied by the fast way") {
    std::string out;
    append_escaped(out, "\xff\"\xc3\xa9");
    CHECK(out == "\xff\\\"\xc3\xa9");
  }
}
