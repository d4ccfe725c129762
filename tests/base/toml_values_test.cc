#include "base/toml_values.h"

#include <doctest/doctest.h>

#include <string>

using spoor::TomlValues;

TEST_SUITE("base/toml_values") {
  TEST_CASE("letters beyond ASCII stand in quotes and remarks, and nowhere else") {
    const TomlValues values("rules.toml", "see there");
    for (const char* good : {"a = \"\u00e9\"", "a = '\u00e9' # \u00e9\n", "\ufeffa = 1\n",
                             "a = '''\n\u00e9 '' ' \u00e9'''\nb = \"\"\"x\\\n  \u00e9\"\"\"\n",
                             "\"\u00e9\\\" \u00e9\" = 1\n"}) {
      CAPTURE(good);
      CHECK(values.parse(good, 1'000));
    }
    for (const char* bad : {"\u00e9 = 1", "a = 1\n[[\ufef9", "\u00a0a = 1", "a = \"x\\\"\" \u00e9",
                            "a = 'x' \u2028", "a = 1 \u3000# \u00e9"}) {
      CAPTURE(bad);
      const auto read = values.parse(bad, 1'000);
      REQUIRE_FALSE(read);
      CHECK(read.error().message.find("a non-ASCII character") != std::string::npos);
    }
    CHECK(values.parse("a = 1\n[[\ufef9", 1'000).error().message.starts_with("rules.toml:2:"));
    CHECK_FALSE(values.parse("a = \"\u00e9", 1'000));  // What quotes leave open is the parser's.
  }

  TEST_CASE("a table has a name") {
    const TomlValues values("rules.toml", "see there");
    for (const char* good :
         {"[a]\n", "[[ \"a b\" ]]\n", " [a.b]", "x = [\n  [\n    1\n  ],\n  [{a = 1}]\n]\n",
          "a = \"\"\"\n[?\"\"\"\n"}) {
      CAPTURE(good);
      CHECK(values.parse(good, 1'000));
    }
    for (const char* bad : {"[?", "a = 1\n[\n", "[[ .a]]", "[# x", "\t[=]", "[\x7f"}) {
      CAPTURE(bad);
      const auto read = values.parse(bad, 1'000);
      REQUIRE_FALSE(read);
      CHECK(read.error().message.find("a table without a name") != std::string::npos);
    }
    for (const char* bad : {"[", "[[", "[]", "[a"}) CHECK_FALSE(values.parse(bad, 1'000));
  }

  TEST_CASE("a date without its time is an error") {
    const TomlValues values("rules.toml", "see there");
    CHECK(values.parse("a = 1979-05-27T07:32:00Z\nb = 07:32:00\n", 1'000));
    for (const char* bad :
         {"a = 1979-05-27T=07:32:00Z\n", "a = 1979-05-27Tx", "a = 1979-05-27 :"}) {
      CAPTURE(bad);
      CHECK_FALSE(values.parse(bad, 1'000));
    }
  }
}
