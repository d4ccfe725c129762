#include "base/json/finder.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

using spoor::json::Finder;
using spoor::json::Value;

TEST_SUITE("base/json/finder") {
  TEST_CASE("values are found one behind the other") {
    const std::string text = R"(a {1} {"b":{"c":[2]}} [3] {"d":4)";
    Finder finder(text);
    const Value first = finder.first_of("{[", 0);
    CHECK(first.raw() == R"({"b":{"c":[2]}})");
    const std::size_t end = finder.end_of(first);
    CHECK(text.substr(end, 4) == " [3]");
    CHECK(finder.first_of("[", end).raw() == "[3]");
    CHECK_FALSE(finder.is_torn());
    CHECK_FALSE(finder.first_of("{", end));
    CHECK(finder.is_torn());
    CHECK_FALSE(finder.first_of("{", text.size()));
    CHECK_FALSE(finder.is_torn());
  }

  TEST_CASE("a value at a place begins there, behind white space") {
    const std::string text = " \n{} x";
    Finder finder(text);
    CHECK(finder.value_at(0).raw() == "{}");
    CHECK_FALSE(finder.value_at(4));
    CHECK_FALSE(finder.value_at(100));
  }

  TEST_CASE("no text is read more often than it says") {
    // Each brace begins a value that breaks at the end of a long one.
    const std::array<std::string, 4> parts = {"{\"a\":", "[", "{\"a\":[",
                                              "{\"a\":\"{\\\"a\\\":\"}"};
    for (const std::string& part : parts) {
      CAPTURE(part);
      std::string text;
      while (text.size() < 5'000'000) text += part;
      Finder finder(text);
      std::size_t from = 0;
      while (const Value value = finder.first_of("{[", from)) from = finder.end_of(value);
      CHECK(finder.bytes_read() <= (Finder::kMaxReadings + 1) * text.size());
    }
  }
}
