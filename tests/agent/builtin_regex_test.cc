#include "agent/builtin/regex.h"

#include <chrono>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace spoor::agent::builtin {

TEST_SUITE("agent/builtin/regex") {
  std::size_t end_of(std::string_view pattern, std::string_view text, bool ignore_case = false) {
    const auto regex = Regex::parse(pattern, ignore_case);
    REQUIRE(regex.has_value());
    Regex::Room room;
    return regex.value().find_end(text, room);
  }

  bool finds(std::string_view pattern, std::string_view text, bool ignore_case = false) {
    return end_of(pattern, text, ignore_case) != Regex::npos;
  }

  TEST_CASE("what an expression finds") {
    CHECK(finds("int.*main\\(", "static int  main() {"));
    CHECK_FALSE(finds("^int", " int"));
    CHECK(finds("^$", ""));
    CHECK_FALSE(finds("^$", "x"));
    CHECK(finds("a{2,3}$", "baaa"));
    CHECK_FALSE(finds("^a{2,3}$", "aaaa"));
    CHECK(finds("[^a-c]\\d+", "abc7x42"));
    CHECK(finds("[]x]", "]"));
    CHECK(finds("[a-]", "-"));
    CHECK(finds("\\bfoo\\b", "a foo-bar"));
    CHECK_FALSE(finds("\\bfoo\\b", "afoo"));
    CHECK(finds("(?:foo|ba(r|z))+?qux", "foobazqux"));
    CHECK(finds("FOO", "a foo", true));
    CHECK_FALSE(finds("[^f]", "F", true));
    CHECK(finds("\\S", "\xff"));
    CHECK(finds("a{x}", "a{x}"));
    CHECK(finds("", "anything"));
    CHECK(end_of("b+", "abbb") == 2);  // The match that ends first.
  }

  TEST_CASE("what is no expression says why") {
    for (const std::string pattern :
         {"(", ")", "[a", "*a", "a|*", "\\", "\\1", "(?=a)", "(?<x>a)", "[z-a]", "[\\d-x]",
          "[[:alpha:]]", "a{3,2}", "a{1001}", "(a{1000}){1000}", "\\q"}) {
      CAPTURE(pattern);
      const auto regex = Regex::parse(pattern);
      REQUIRE_FALSE(regex.has_value());
      CHECK(regex.error().code == store::Error::Code::invalid);
    }
    CHECK_FALSE(Regex::parse(std::string(5000, '(')).has_value());
    CHECK_FALSE(Regex::parse("a" + std::string(5000, '*')).has_value());
  }

  TEST_CASE("no expression takes long") {
    const auto start = std::chrono::steady_clock::now();
    const std::string text(200'000, 'a');
    CHECK_FALSE(finds("(a*)*b", text));
    CHECK_FALSE(finds("(a|aa)+$", text + "b"));
    CHECK_FALSE(finds("(a|a|a|a|a)*c", text));
    CHECK_FALSE(finds("((((a*)*)*)*)*b", text));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  }

  // The standard library's engine is the judge, on what is too small to hurt it.
  TEST_CASE("random expressions find what others find") {
    std::mt19937 chance(20260901);
    const std::vector<std::string> parts = {"a",      "b",   "c", ".",    "[ab]",
                                            "[^a]",   "^",   "$", "\\b",  "(a|b)",
                                            "(?:ab)", "\\w", "|", "(b|)", "(a*b)?"};
    const std::vector<std::string> repeats = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}"};
    int found = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::string pattern;
      for (std::size_t n = 1 + chance() % 5; n > 0; --n) {
        const std::string& part = parts[chance() % parts.size()];
        const bool is_plain = part == "^" || part == "$" || part == "\\b" || part == "|";
        pattern += part + (is_plain ? "" : repeats[chance() % repeats.size()]);
      }
      std::string text;
      for (std::size_t n = chance() % 7; n > 0; --n) text += "abc -"[chance() % 5];
      CAPTURE(pattern);
      CAPTURE(text);
      const bool expected = std::regex_search(text, std::regex(pattern));
      CHECK(finds(pattern, text) == expected);
      found += expected ? 1 : 0;
    }
    CHECK(found > 2000);
    CHECK(found < 19'000);
  }
}

}  // namespace spoor::agent::builtin
