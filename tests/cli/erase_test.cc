// `spoor store erase` asks who types, and takes no for an answer.
#include <fstream>

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
      const auto refused = spoor({"store", "erase", "HEAD", "--reason", "a slip"}, no);
      CHECK(refused.status == 130);
      CHECK(holds(refused.err, "Erase this permanently? [y/N]"));
      CHECK(holds(refused.err, "nothing was erased"));
      CHECK(holds(spoor.out({"log"}), "a slip of the tongue"));
    }
    const auto done = spoor({"store", "erase", "HEAD", "--reason", "a slip"}, "y\n");
    CHECK(done.status == 0);
    CHECK(holds(spoor.out({"log"}), "[erased: a slip]"));
    CHECK_FALSE(holds(spoor.out({"log"}), "tongue"));
  }

  TEST_CASE("what stands in the way is named, and nothing goes") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "a-name-that-is-long", "--author", "a-name-that-is-long"});
    const auto refused = spoor({"store", "erase", "HEAD", "--reason", "why", "--yes"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.out, "blocked: commit "));
    CHECK(holds(spoor.out({"log"}), "a-name-that-is-long"));
  }

  TEST_CASE("a phrase from a file or from input is listed first, and erased with --yes") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "my passport is C01X00T47"});
    spoor({"assistant", "I note C01X00T47."});
    spoor({"user", "thanks"});
    const std::string phrase = spoor.folder.path + "/phrase";
    std::ofstream(phrase) << "C01X00T47\n";
    const auto listed = spoor({"store", "erase", "--text-file", phrase});
    CHECK(listed.status == 0);
    CHECK(holds(listed.out, " user        text\n"));
    CHECK(holds(listed.out, " assistant   text\n"));
    CHECK(holds(listed.out, "2 contents"));
    CHECK_FALSE(holds(listed.out + listed.err, "C01X00T47"));
    CHECK(holds(listed.err, "nothing was erased; add --yes and --reason TEXT to erase it"));
    CHECK(holds(spoor.out({"log"}), "C01X00T47"));

    CHECK(spoor({"store", "erase", "--text-file", phrase, "--yes"}).status == 2);  // No reason.
    const auto done = spoor({"store", "erase", "--text-file", "-", "--yes", "--reason", "a number"},
                            "C01X00T47\n");
    CHECK(done.status == 0);
    CHECK(holds(done.out, "erased: "));
    CHECK_FALSE(holds(spoor.out({"log"}), "C01X00T47"));
    CHECK(holds(spoor.out({"log"}), "thanks"));
    CHECK(holds(spoor.out({"store", "erase", "--text-file", phrase}),
                "no content contains the phrase"));
    CHECK(spoor({"store", "erase", "HEAD", "--text-file", phrase}).status == 2);
    CHECK(spoor({"store", "erase", "--text-file", "nosuch"}).status == 1);
  }

  TEST_CASE("where a phrase stays is said, and the exit code is 1") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "hello to C01X00T47", "--author", "C01X00T47"});
    const auto done =
        spoor({"store", "erase", "--text-file", "-", "--yes", "--reason", "a number"}, "C01X00T47");
    CHECK(done.status == 1);
    CHECK(holds(done.out, "not erased: commit "));
    CHECK(holds(done.out, "erased: "));
    CHECK(holds(spoor.out({"log"}), "[erased: a number]"));
  }

  TEST_CASE("erasing a commit says where a number of it is told as well") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "my passport is C01X00T47"});
    spoor({"assistant", "I note C01X00T47."});
    const auto listed = spoor({"store", "erase", "HEAD~1", "--dry-run"});
    CHECK(holds(listed.out,
                "not erased: a short text, a number or a key of it is also in 1 other ("));
    CHECK(holds(listed.err, "'spoor store erase --text-file FILE' erases a phrase everywhere"));
    CHECK(holds(spoor.out({"store", "erase", "HEAD~1", "--dry-run", "--json"}),
                "\"told_elsewhere\""));
  }

  TEST_CASE("an earlier time cannot be erased from, nor what is no commit") {
    Program spoor;
    spoor.make_history();
    CHECK(spoor({"--at-op", "@{1}", "erase", "HEAD", "--reason", "why", "--yes"}).status == 1);
    CHECK(spoor({"store", "erase", "nosuch", "--reason", "why", "--yes"}).status == 1);
    CHECK(spoor({"store", "erase"}).status == 2);
  }

  TEST_CASE("everything that reads goes on after an erasure") {
    Program spoor;
    spoor.make_history();
    REQUIRE(spoor({"store", "erase", "HEAD~4", "--reason", "a slip", "--yes"}).status ==
            0);  // The call.
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
                                               {"store", "fsck"},
                                               {"diff", "HEAD~5", "HEAD"},
                                               {"blame"},
                                               {"why", "HEAD~4"},
                                               {"versions", "HEAD~4"},
                                               {"store", "gc"},
                                               {"store", "rebuild"},
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
