// `spoor erase` asks who types, and takes no for an answer.
#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;

namespace {

using spoor::testing::holds;

}  // namespace

TEST_SUITE("cli/erase") {
  TEST_CASE("a person is asked, and only a yes erases") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "a slip of the tongue"});
    spoor.tty = true;
    spoor.environment.variables["TERM"] = "dumb";
    for (const char* no : {"n\n", "\n", "", "maybe\n"}) {
      CAPTURE(no);
      const auto refused = spoor({"erase", "HEAD", "--reason", "a slip"}, no);
      CHECK(refused.status == 130);
      CHECK(holds(refused.err, "Erase this for good? [y/N]"));
      CHECK(holds(refused.err, "nothing was erased"));
      CHECK(holds(spoor.out({"log"}), "a slip of the tongue"));
    }
    const auto done = spoor({"erase", "HEAD", "--reason", "a slip"}, "y\n");
    CHECK(done.status == 0);
    CHECK(holds(spoor.out({"log"}), "[erased: a slip]"));
    CHECK_FALSE(holds(spoor.out({"log"}), "tongue"));
  }

  TEST_CASE("what stands in the way is named, and nothing goes") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "a-name-that-is-long", "--author", "a-name-that-is-long"});
    const auto refused = spoor({"erase", "HEAD", "--reason", "why", "--yes"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.out, "in the way: commit "));
    CHECK(holds(spoor.out({"log"}), "a-name-that-is-long"));
  }

  TEST_CASE("an earlier time cannot be erased from, nor what is no commit") {
    Program spoor;
    spoor.make_history();
    CHECK(spoor({"--at-op", "@{1}", "erase", "HEAD", "--reason", "why", "--yes"}).status == 1);
    CHECK(spoor({"erase", "nosuch", "--reason", "why", "--yes"}).status == 1);
    CHECK(spoor({"erase"}).status == 2);
  }

  TEST_CASE("everything that reads goes on after an erasure") {
    Program spoor;
    spoor.make_history();
    REQUIRE(spoor({"erase", "HEAD~4", "--reason", "a slip", "--yes"}).status == 0);  // The call.
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"log"},
                                               {"log", "--graph", "--all"},
                                               {"show", "HEAD~4"},
                                               {"show", "HEAD~4", "--json"},
                                               {"compile"},
                                               {"compile", "--json"},
                                               {"pprint"},
                                               {"debrief"},
                                               {"stats"},
                                               {"status"},
                                               {"export", "--jsonl"},
                                               {"export", "--markdown"},
                                               {"search", "files"},
                                               {"fsck"},
                                               {"diff", "HEAD~5", "HEAD"},
                                               {"blame"},
                                               {"why", "HEAD~4"},
                                               {"versions", "HEAD~4"},
                                               {"gc"},
                                               {"rebuild"},
                                               {"reasoning"},
                                               {"cherry-pick", "HEAD~4"}}) {
      const auto answer = spoor(words);
      CAPTURE(words.front());
      CAPTURE(answer.err);
      CHECK(answer.status != 70);
      CHECK_FALSE(holds(answer.err, "not stored"));
      CHECK_FALSE(holds(answer.err, "malformed"));
    }
  }
}
