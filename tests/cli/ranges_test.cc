// cherry-pick and revert of ranges, on the command line and in batch.
#include <string>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;

namespace {

using spoor::testing::holds;

// main: one, two, three, four; topic: one.
void make_lines(Program& spoor) {
  spoor({"init"});
  for (const char* text : {"one", "two", "three", "four"}) spoor({"user", text});
  spoor({"branch", "topic", "main~3"});
}

// What is said there, oldest first.
std::string said(Program& spoor, const std::string& revision) {
  return spoor.out({"compile", "--to", "text", revision});
}

std::string turns(std::initializer_list<std::string_view> texts) {
  std::string all;
  for (const std::string_view text : texts) all.append("--- user\n").append(text).append("\n");
  return all;
}

}  // namespace

TEST_SUITE("cli/ranges") {
  TEST_CASE("cherry-pick copies a range, oldest first") {
    Program spoor;
    make_lines(spoor);
    spoor({"switch", "topic"});
    const auto answer = spoor({"cherry-pick", "main~2..main"});
    CHECK(answer.status == 0);
    CHECK(holds(answer.out, "2 commits copied"));
    CHECK(said(spoor, "topic") == turns({"one", "three", "four"}));
    spoor({"undo"});
    CHECK(spoor({"cherry-pick", "main", "..main~1"}).status == 0);  // HEAD..main~1
    CHECK(said(spoor, "topic") == turns({"one", "four", "two", "three"}));
  }

  TEST_CASE("revert takes a range out") {
    Program spoor;
    make_lines(spoor);
    const auto answer = spoor({"abandon", "HEAD~3..HEAD~1"});
    CHECK(answer.status == 0);
    CHECK(holds(answer.out, "2 commits left out"));
    CHECK(said(spoor, "HEAD") == turns({"one", "four"}));
  }

  TEST_CASE("a merge in a reverted range goes with what it brought") {
    Program spoor;
    make_lines(spoor);
    spoor({"switch", "topic"});
    spoor({"user", "aside"});
    spoor({"switch", "main"});
    REQUIRE(spoor({"merge", "topic"}).status == 0);
    REQUIRE(spoor({"user", "five"}).status == 0);
    REQUIRE(spoor({"abandon", "HEAD~2..HEAD~1"}).status == 0);
    CHECK(said(spoor, "HEAD") == turns({"one", "two", "three", "four", "five"}));
  }

  TEST_CASE("a range without a commit is refused, and nothing moves") {
    Program spoor;
    make_lines(spoor);
    for (const char* verb : {"cherry-pick", "revert"}) {
      const auto answer = spoor({verb, "main..topic"});
      CHECK(answer.status == 1);
      CHECK(holds(answer.err, "'main..topic' contains no commit"));
    }
    CHECK(said(spoor, "main") == turns({"one", "two", "three", "four"}));
  }

  TEST_CASE("batch takes them, too") {
    Program spoor;
    make_lines(spoor);
    const std::string requests =
        R"({"op":"cherry_pick","branch":"topic","targets":["main~2..main"]})"
        "\n"
        R"({"op":"revert","branch":"topic","targets":["HEAD~1.."]})"
        "\n";
    const auto answer = spoor({"batch"}, requests);
    CHECK(!holds(answer.out, "\"error\""));
    CHECK(said(spoor, "topic") == turns({"one", "three"}));
  }
}
