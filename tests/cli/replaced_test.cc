// What is said of turns that a summary replaced, and of reasoning that was edited.
#include <string>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;

namespace {

using spoor::testing::holds;

std::string id_of(Program& spoor, const std::string& revision) {
  return spoor.out({"log", "--oneline", "-n", "1", revision}).substr(0, 8);
}

// Three turns, of which summaries replaced the first two, and the summary of these.
struct Summarised {
  Program spoor;
  std::string first;
  std::string second;
  std::string summary;

  Summarised() {
    spoor({"init"});
    spoor({"user", "the port is 8080"});
    first = id_of(spoor, "HEAD");
    spoor({"assistant", "noted: 8080"});
    second = id_of(spoor, "HEAD");
    spoor({"user", "go on"});
    spoor({"compress", "--to", "HEAD~1", "a port was named"});
    spoor({"compress", "--to", "HEAD", "a port"});
    summary = id_of(spoor, "HEAD");
  }
};

}  // namespace

TEST_SUITE("cli/replaced") {
  TEST_CASE("why names the newest turn that says it and the summary that stands for it") {
    Summarised made;
    const auto answer = made.spoor({"why", "8080"});
    CHECK(answer.status == 1);
    CHECK(holds(answer.err,
                "hint: " + made.second + " contains it, but " + made.summary + " replaces it\n"));
    const auto nobody = made.spoor({"why", "8081"});
    CHECK(nobody.status == 1);
    CHECK(!holds(nobody.err, "stands for it"));
    const auto empty = Program()({"why", "x"});
    CHECK(empty.status == 1);
  }

  TEST_CASE("what is written about a turn that a summary replaced is said to change nothing") {
    Summarised made;
    Program& spoor = made.spoor;
    const std::string prompt = spoor.out({"compile", "--to", "text"});
    const std::string said = made.summary + " replaces it: the prompt does not change\n";
    CHECK(spoor({"edit", made.first, "the port is 80"}).err == said);
    CHECK(spoor({"pin", made.first}).err == said);
    CHECK(spoor({"skip", made.second, "--json"}).err == said);
    CHECK(spoor({"restore", made.first}).err == said);
    CHECK(spoor.out({"compile", "--to", "text"}) == prompt);
    CHECK(spoor({"pin", made.summary}).err.empty());
  }

  TEST_CASE("reasoning that was edited is marked, and found by what it says now") {
    Program spoor;
    spoor.make_history();
    const std::string thought = spoor.out({"reasoning"}).substr(0, 8);
    CHECK(!holds(spoor.out({"reasoning"}), "edited"));
    REQUIRE(spoor({"edit", thought, "find will do\nor ls"}).status == 0);
    const std::string edit = id_of(spoor, "HEAD");

    const std::string listed = spoor.out({"reasoning"});
    CHECK(holds(listed, "[reasoning]  edited\n    ls will do\n  edited by " + edit +
                            "\n    find will do or ls\n"));
    CHECK(holds(spoor.out({"reasoning", thought}), "    find will do\n    or ls\n"));
    for (const char* words : {"ls will", "find will"}) {
      CHECK(holds(spoor.out({"reasoning", "--search", words}), thought));
      CHECK(holds(spoor.out({"reasoning", "--search", words, "-n", "1"}), thought));
    }
    CHECK(spoor.out({"reasoning", "--search", "two files"}).empty());
    CHECK(spoor.out({"reasoning", "--search", "ls", "-n", "0"}).empty());
    CHECK(
        holds(spoor.out({"reasoning", "--search", "find", "--json"}), "\"text\": \"find will do"));
  }
}
