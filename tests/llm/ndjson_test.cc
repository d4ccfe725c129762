#include "llm/wire/ndjson.h"

#include <doctest/doctest.h>

#include <vector>

using spoor::llm::wire::JsonValues;

namespace {

std::vector<std::string> cut(std::string_view bytes, std::size_t size) {
  std::vector<std::string> all;
  const auto take = [&](std::string_view value, bool is_cut) {
    all.push_back(std::string(value) + (is_cut ? "!" : ""));
  };
  JsonValues values;
  for (std::size_t at = 0; at < bytes.size(); at += size) values.feed(bytes.substr(at, size), take);
  values.finish(take);
  return all;
}

std::vector<std::string> cut(std::string_view bytes) {
  const auto whole = cut(bytes, bytes.size() + 1);
  for (std::size_t size = 1; size <= bytes.size(); ++size) CHECK(cut(bytes, size) == whole);
  return whole;
}

using Values = std::vector<std::string>;

}  // namespace

TEST_SUITE("llm/wire/ndjson") {
  TEST_CASE("one value a line, blank lines and padding between") {
    CHECK(cut("{\"a\":1}\n{\"a\":2}\r\n\n  \n{\"a\":3}   ") ==
          Values{"{\"a\":1}", "{\"a\":2}", "{\"a\":3}"});
    CHECK(cut("   \n\n").empty());
  }

  TEST_CASE("one value over several lines, with white space around it") {
    CHECK(cut("\n\n  {\n \"a\": [1,\n 2]\n}\n   \n") == Values{"{\n \"a\": [1,\n 2]\n}"});
  }

  TEST_CASE("elements of one array") {
    CHECK(cut("[{\"a\":1}\n,\r\n{\"a\":[2]}\n]\n") == Values{"{\"a\":1}", "{\"a\":[2]}"});
    CHECK(cut("[]").empty());
    CHECK(cut("[1, true,\"x\"]") == Values{"1", "true", "\"x\""});
  }

  TEST_CASE("brackets and quotes in strings are text") {
    CHECK(cut(R"({"a":"}]\"{\\"}{"b":"["})") == Values{R"({"a":"}]\"{\\"})", R"({"b":"["})"});
  }

  TEST_CASE("a value that the end cuts off is told as cut") {
    CHECK(cut("{\"a\":1}\n{\"a\":") == Values{"{\"a\":1}", "{\"a\":!"});
    CHECK(cut("[{\"a\":\"x") == Values{"{\"a\":\"x!"});
  }
}
