// compress as the command line has it: what it takes, and what the summarising command reads.
#include <string>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;

namespace {

using spoor::testing::holds;

}  // namespace

TEST_SUITE("cli/compress") {
  TEST_CASE("a type that no prompt holds is refused, and nothing is summarised") {
    Program spoor;
    spoor.make_history();
    const std::string before = spoor.out({"oplog"});
    for (const char* type : {"", "resoning", "edit", "note", "config"}) {
      const auto answer = spoor({"compress", "--type", type, "all of it"});
      CHECK(answer.status == 2);
      CHECK(holds(answer.err, "'--type' takes one of system, user, assistant, reasoning"));
    }
    CHECK(spoor.out({"oplog"}) == before);
    CHECK(spoor({"compress", "--type", "reasoning", "it thought"}).status == 0);
  }

  TEST_CASE("completion offers for --type what it takes") {
    Program spoor;
    const std::string offered = spoor.out({"__complete", "compress", "--type", ""});
    CHECK(offered == "system\nuser\nassistant\nreasoning\ntool\nartifact\nsummary\n");
  }

  TEST_CASE("the command reads calls, results and errors, as compile writes them") {
    Program spoor;
    spoor.make_history();
    spoor({"tool", "no such file", "--call", "c2", "--name", "cat", "--error"});
    REQUIRE(spoor({"compress", "--from", "HEAD~5", "--command", "cat"}).status == 0);
    const std::string summary = spoor.out({"compile", "--to", "text"});
    CHECK(holds(summary, "--- assistant\n"));
    CHECK(holds(summary, "call ls c1\n"));
    CHECK(holds(summary, R"({"path":"/tmp"})"));
    CHECK(holds(summary, "--- tool ls c1\n"));
    CHECK(holds(summary, "--- tool cat c2 error\n"));
    CHECK(holds(summary, "two files\n"));  // The edit is in force.
    CHECK(!holds(summary, "two files: a.txt"));
  }

  TEST_CASE("a command ended by Ctrl-C interrupts, and nothing is written") {
    Program spoor;
    spoor.make_history();
    const auto stopped = spoor({"compress", "--from", "HEAD~5", "--command", "kill -INT $$"});
    CHECK(stopped.status == 130);
    CHECK(holds(stopped.err, "interrupted"));
    CHECK(!holds(spoor.out({"oplog"}), "compress"));
  }

  TEST_CASE("without a summary and without a command it is said what is missing") {
    Program spoor;
    spoor.make_history();
    const auto neither = spoor({"compress"});
    CHECK(neither.status == 2);
    CHECK(holds(neither.err, "'spoor compress' needs a summary, or --command to make one"));
    const auto both = spoor({"compress", "text", "--command", "cat"});
    CHECK(both.status == 2);
    CHECK(holds(both.err, "not both"));
  }
}
