#include "cli/arguments.h"

#include <array>

#include <doctest/doctest.h>

#include "cli/command.h"

using namespace spoor;
using namespace spoor::cli;

namespace {

constexpr std::array kOptions = {
    Option{"first", "A", "the first", 0, Takes::text, Count::one},
    Option{"rest", "B", "the others", 0, Takes::text, Count::many},
    Option{"--limit", "N", "at most N", 'n', Takes::number},
    Option{"--patch", "", "with text", 'p'},
    Option{"--out", "FILE", "where to", 0, Takes::path},
    Option{"--style", "S", "how", 0, Takes::choice, Count::optional, "chat|table"},
};
const Command kCommand{.name = "test", .summary = "Test", .options = kOptions, .run = nullptr};

MapEnvironment at_home() {
  MapEnvironment environment;
  environment.variables = {{"HOME", "/home/me"}};
  return environment;
}

Result<Arguments> parse(std::vector<std::string> words) {
  return parse_arguments(kCommand, words, at_home());
}

std::string problem(std::vector<std::string> words) {
  const auto parsed = parse(std::move(words));
  return parsed ? "" : parsed.error().message;
}

}  // namespace

TEST_SUITE("cli/arguments") {
  TEST_CASE("positionals are filled in order, the last takes what is left") {
    const auto parsed = parse({"a", "b", "c"}).value();
    CHECK(parsed.text("first") == "a");
    CHECK(parsed.all("rest") == std::vector<std::string>{"b", "c"});
  }

  TEST_CASE("a value may follow in the same word, the next word or after the letter") {
    CHECK(parse({"a", "--limit=3"}).value().number("--limit", 0) == 3);
    CHECK(parse({"a", "--limit", "3"}).value().number("--limit", 0) == 3);
    CHECK(parse({"a", "-n3"}).value().number("--limit", 0) == 3);
    CHECK(parse({"a", "-n", "3"}).value().number("--limit", 0) == 3);
    CHECK(parse({"a", "-pn3"}).value().number("--limit", 0) == 3);
    CHECK(parse({"a", "-3"}).value().number("--limit", 0) == 3);
  }

  TEST_CASE("a single dash is a value, and two end the options") {
    CHECK(parse({"-"}).value().text("first") == "-");
    CHECK(parse({"--", "--patch"}).value().text("first") == "--patch");
  }

  TEST_CASE("what the table does not allow is refused") {
    CHECK(problem({"a", "--nosuch"}) == "'spoor test' has no option '--nosuch'");
    CHECK(problem({"a", "--limit"}) == "'--limit' needs a value: N");
    CHECK(problem({"a", "--limit", "x"}) == "'--limit' takes a number, not 'x'");
    CHECK(problem({"a", "--patch=1"}) == "'--patch' takes no value");
    CHECK(problem({"a", "--style", "x"}) == "'--style' takes one of chat, table, not 'x'");
    CHECK(problem({}) == "'spoor test' needs A: the first");
  }

  TEST_CASE("a near miss is suggested, and options are not abbreviated") {
    CHECK(parse({"a", "--patc"}).error().hint == "did you mean '--patch'?");
    CHECK(parse({"a", "--ptach"}).error().hint == "did you mean '--patch'?");
  }

  TEST_CASE("~ at the start of a path is the user's home, and nowhere else") {
    CHECK(parse({"a", "--out=~/x"}).value().text("--out") == "/home/me/x");
    CHECK(parse({"a", "--out", "~"}).value().text("--out") == "/home/me");
    CHECK(parse({"a", "--out", "~me/x"}).value().text("--out") == "~me/x");
    CHECK(parse({"a", "--out", "x/~"}).value().text("--out") == "x/~");
    CHECK(parse({"~/a"}).value().text("first") == "~/a");  // No path.
  }

  TEST_CASE("--help asks for nothing else") { CHECK(parse({"--help"}).has_value()); }

  TEST_CASE("options before the verb leave the verb and what follows") {
    const std::vector<std::string> words = {"-s", "x.spoor", "--raw", "log", "--raw"};
    const auto line = parse_global(words, at_home()).value();
    CHECK(line.global.text("--store") == "x.spoor");
    CHECK(line.rest.size() == 2);
  }
}
