// undo and redo as the command line and batch have them: whose step, which step, and HEAD.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/json/reader.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;
namespace json = spoor::json;

namespace {

using spoor::testing::holds;

Program::Answer as(Program& spoor, const std::string& author,
                   const std::vector<std::string>& words) {
  const std::string before = spoor.environment.variables.at("SPOOR_AUTHOR");
  spoor.environment.variables["SPOOR_AUTHOR"] = author;
  auto answer = spoor(words);
  spoor.environment.variables["SPOOR_AUTHOR"] = before;
  return answer;
}

// The newest operation, as oplog prints it.
std::string newest(Program& spoor) { return spoor.out({"oplog", "-n", "1"}).substr(0, 12); }

// Where every branch, every tag and HEAD are.
std::string positions(Program& spoor) {
  return spoor.out({"branch"}) + spoor.out({"tag"}) + spoor.out({"status", "--json"});
}

}  // namespace

TEST_SUITE("cli/undo") {
  TEST_CASE("another author's step is taken back by name only, and it is said whose it was") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "mine"});
    const std::string own = newest(spoor);
    REQUIRE(as(spoor, "agent/b", {"user", "theirs"}).status == 0);
    const std::string theirs = newest(spoor);
    const std::string before = positions(spoor);

    const auto refused = spoor({"undo"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "the newest step, 'user', is by agent/b"));
    CHECK(holds(refused.err, "spoor undo " + theirs));
    CHECK(holds(refused.err, "your own newest: spoor undo " + own));
    CHECK(positions(spoor) == before);

    const auto named = spoor({"undo", theirs});
    CHECK(named.status == 0);
    CHECK(holds(named.out, "undid 'user' by agent/b (redo: spoor redo)"));
    const auto other = as(spoor, "agent/b", {"redo"});
    CHECK(other.status == 1);
    CHECK(holds(other.err, "is by ada"));
    CHECK(spoor({"redo"}).status == 0);
    CHECK(positions(spoor) == before);
  }

  TEST_CASE("one step is taken back, and no other") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "one"});
    spoor({"branch", "side"});
    const std::string side = newest(spoor);
    spoor({"user", "two"});
    const std::string two = newest(spoor);
    spoor({"tag", "here"});

    SUBCASE("by its id, and done again by its own id or that of its undo") {
      const std::string before = positions(spoor);
      CHECK(holds(spoor.out({"undo", side}), "side: "));
      const std::string undo = newest(spoor);
      CHECK(!holds(spoor.out({"branch"}), "side"));
      CHECK(holds(spoor.out({"branch"}), "two"));
      CHECK(spoor({"redo", side}).status == 0);
      CHECK(positions(spoor) == before);
      CHECK(spoor({"undo", side.substr(0, 8)}).status == 0);
      CHECK(spoor({"redo", undo}).status == 1);  // That one was taken back itself.
      CHECK(spoor({"redo", newest(spoor)}).status == 0);
      CHECK(positions(spoor) == before);
    }
    SUBCASE("counted from the newest one") {
      CHECK(spoor({"undo", "@{2}"}).status == 0);
      CHECK(!holds(spoor.out({"branch"}), "side"));
      CHECK(spoor({"undo", "@{99}"}).status == 1);
    }
    SUBCASE("not when what it moved has moved since") {
      const std::string first = spoor.out({"oplog"});
      const auto at = first.rfind(" ada user");
      const std::string one = first.substr(first.rfind('\n', at) + 1, 12);
      const std::string before = positions(spoor);
      const auto refused = spoor({"undo", one});
      CHECK(refused.status == 1);
      CHECK(holds(refused.err, "'refs/heads/main' has moved since " + one));
      CHECK(holds(refused.err, "hint: undo the later moves first"));
      CHECK(positions(spoor) == before);
    }
    SUBCASE("not twice, and an undo is no step") {
      REQUIRE(spoor({"undo", two}).status == 0);
      const std::string undo = newest(spoor);
      CHECK(holds(spoor({"undo", two}).err, "is already undone"));
      CHECK(holds(spoor({"undo", undo}).err, "to revert it: spoor redo " + undo));
      CHECK(holds(spoor({"redo", side}).err, "is not undone"));
    }
    SUBCASE("not what names no operation") {
      CHECK(holds(spoor({"undo", "main"}).err, "'main' names no operation"));
      CHECK(holds(spoor({"undo", "0123456789ab"}).err, "no operation '0123456789ab'"));
    }
  }

  TEST_CASE("what a run says of itself is taken back with its branch, and done again with it") {
    Program spoor;
    const std::string script = spoor.folder.path + "/replies.jsonl";
    std::ofstream(script) << R"({"choices":[{"message":{"role":"assistant","content":"done"}}]})";
    REQUIRE(spoor({"run", "be done", "--model", "scripted/" + script}).status == 0);
    const std::string runs = spoor.out({"runs", "--json"});
    CHECK(holds(runs, "goal_achieved"));
    const std::string said = spoor.out({"undo"});
    CHECK(holds(said, "spoor-"));  // The branch, called like the folder.
    CHECK(holds(said, "refs/runs/"));
    CHECK_FALSE(holds(spoor.out({"runs", "--json"}), "goal_achieved"));
    spoor.out({"redo"});
    CHECK(spoor.out({"runs", "--json"}) == runs);
  }

  TEST_CASE("batch and a session take back a step by name, too") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "one"});
    spoor({"branch", "side"});
    const std::string side = newest(spoor);
    REQUIRE(as(spoor, "agent/b", {"user", "two"}).status == 0);
    const std::string requests = R"({"op":"undo"})"
                                 "\n{\"op\":\"undo\",\"operation\":\"" +
                                 side + "\"}\n" + R"({"op":"redo"})" + "\n";
    const std::string answers = spoor.out({"batch"}, requests);
    CHECK(holds(answers, "is by agent/b"));
    CHECK(holds(answers, R"("command":"branch","actor":"ada","refs":[{"name":"refs/heads/side")"));
    CHECK(holds(spoor.out({"branch"}), "side"));

    const auto seen = spoor({}, "undo\nundo " + side + "\nbranch\n");
    CHECK(holds(seen.err, "is by agent/b"));
    CHECK(holds(seen.out, "undid 'branch'"));
    CHECK(!holds(spoor.out({"branch"}), "side"));
  }

  TEST_CASE("undo then redo is nothing at all, for every command that moves something") {
    Program spoor;
    spoor({"init"});
    const std::string empty = positions(spoor);
    const std::string session = SPOOR_SOURCE_DIR "/examples/data/sample-session.jsonl";
    const std::vector<std::vector<std::string>> steps = {
        {"user", "one"},
        {"assistant", "two"},
        {"switch", "--create", "side"},
        {"user", "three"},
        {"switch", "--create", "deeper", "main"},
        {"branch", "other"},
        {"edit", "HEAD", "deux"},
        {"pin", "HEAD~1"},
        {"merge", "side"},
        {"abandon", "HEAD~2"},
        {"amend", "--message", "noted"},
        {"reset", "HEAD~1"},
        {"tag", "here"},
        {"tag", "--message", "why", "noted"},
        {"tag", "--delete", "here"},
        {"tool", "a.txt", "--call", "c1", "--name", "ls"},
        {"think", "a file, then"},
        {"annotate", "HEAD", "--priority", "normal", "it matters"},
        {"skip", "HEAD~2"},
        {"edit", "HEAD~3", "b.txt"},
        {"restore", "HEAD~4"},
        {"cherry-pick", "side"},
        {"switch", "--create", "apart", "main"},
        {"user", "four"},
        {"rebase", "side"},
        {"branch", "--force", "side", "HEAD"},
        {"branch", "--delete", "--force", "other"},
        {"import", session},
        {"compress", "all of it"},
    };
    std::vector<std::string> places = {empty};
    for (const auto& step : steps) {
      CAPTURE(step[0]);
      const auto done = spoor(step);
      INFO(done.err);
      REQUIRE(done.status == 0);
      places.push_back(positions(spoor));
      REQUIRE(places.back() != places[places.size() - 2]);
      REQUIRE(spoor({"undo"}).status == 0);
      CHECK(positions(spoor) == places[places.size() - 2]);
      REQUIRE(spoor({"redo"}).status == 0);
      CHECK(positions(spoor) == places.back());
    }
    for (std::size_t i = places.size() - 1; i-- > 0;) {
      REQUIRE(spoor({"undo"}).status == 0);
      CHECK(positions(spoor) == places[i]);
    }
    for (std::size_t i = 1; i < places.size(); ++i) {
      REQUIRE(spoor({"redo"}).status == 0);
      CHECK(positions(spoor) == places[i]);
    }
  }

  TEST_CASE("HEAD stays where somebody put it since") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "one"});
    spoor({"switch", "--create", "side"});
    spoor({"switch", "main"});
    const std::string before = positions(spoor);
    REQUIRE(spoor({"undo"}).status == 0);
    REQUIRE(spoor({"redo"}).status == 0);
    CHECK(positions(spoor) == before);
  }

  TEST_CASE("HEAD that was on no branch is so again, and the branch can come back") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "one"});
    spoor({"user", "two"});
    spoor({"switch", "--detach", "HEAD~1"});
    const std::string before = positions(spoor);
    REQUIRE(spoor({"switch", "--create", "side"}).status == 0);
    const std::string after = positions(spoor);
    REQUIRE(spoor({"undo"}).status == 0);
    CHECK(positions(spoor) == before);
    REQUIRE(spoor({"redo"}).status == 0);
    CHECK(positions(spoor) == after);
  }

  TEST_CASE("undo stops where gc has folded the log, and says so") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "one"});
    spoor({"user", "two"});
    spoor({"user", "three"});
    REQUIRE(spoor({"store", "gc", "--prune", "--retention", "now"}).status == 0);
    REQUIRE(spoor({"user", "four"}).status == 0);
    const std::string before = positions(spoor);
    REQUIRE(spoor({"undo"}).status == 0);
    CHECK(!holds(spoor.out({"log"}), "four"));
    CHECK(holds(spoor.out({"log"}), "three"));
    const auto none = spoor({"undo"});
    CHECK(none.status == 1);
    CHECK(holds(none.err, "nothing to undo"));
    CHECK(holds(spoor({"undo", "@{2}"}).err, "is a checkpoint of all earlier operations"));
    REQUIRE(spoor({"redo"}).status == 0);
    CHECK(positions(spoor) == before);

    REQUIRE(spoor({"store", "gc", "--prune", "--retention", "now"}).status == 0);
    CHECK(holds(spoor({"undo"}).err, "nothing to undo"));
    CHECK(holds(spoor({"redo"}).err, "nothing to redo"));
    CHECK(positions(spoor) == before);
  }
}
