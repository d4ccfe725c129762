// No view prints a character that nobody sees as it is, whatever text has it.
#include <doctest/doctest.h>

#include <fstream>

#include "base/hidden_text.h"
#include "base/json/writer.h"
#include "base/utf8.h"
#include "graph/repository.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"
#include "tests/support/recorded_run.h"

using spoor::test::Program;
using spoor::testing::holds;
using spoor::testing::RecordedRun;

namespace {

using spoor::graph::Repository;

// One of each class, and what joins nothing.
std::string all_hidden() {
  std::string text;
  for (const char32_t code : {0xad,    0x34f,  0x115f, 0x1160, 0x200b, 0x200c,  0x200d,  0x200e,
                              0x202e,  0x2028, 0x2029, 0x2060, 0x2064, 0x2066,  0x2800,  0x3164,
                              0x13430, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe0041, 0xe007f, 0xe0101}) {
    spoor::append_utf8(text, code);
    text += 'x';
  }
  text += "a";
  for (int i = 0; i < 12; ++i) text += "\u0301";
  return text;
}

std::string with_hidden(const std::string& words) { return words + all_hidden(); }

std::string json_text(const std::string& text) {
  spoor::json::Object object;
  object.add_string("path", text);
  return object.write();
}

// A store with hidden characters in every text that may have them: a run, a conversation, names,
// labels, notes, reasons, and an operation's actor.
void fill(Program& spoor) {
  spoor.environment.variables["SPOOR_AUTHOR"] = "ada\u200b\U000e0041b";
  spoor({"init"});
  {
    auto clock = std::make_shared<spoor::cli::FixedClock>(spoor.clock.now());
    auto opened = Repository::open(spoor.folder.path + "/.spoor",
                                   {.author = "ada\u200b\U000e0041b", .clock = clock});
    REQUIRE(opened);
    RecordedRun run(*opened.value(), "main", with_hidden("goal"));
    run.at_step(1);
    run.calls({{"c1", "read_file", json_text(with_hidden("file"))}},
              "{\"1\":{\"why\":\"" + with_hidden("because") + "\"}}",
              {{"tokens", R"({"input":100,"output":20})"}});
    run.result("c1", 1, "read_file", with_hidden("result"), true, {{"exit_code", "1"}});
    run.at_step(2);
    run.end("goal_achieved", "final_answer", with_hidden("Done."));
  }
  spoor({"user", with_hidden("question"), "--message", with_hidden("message"), "--tag",
         "la\u200bbel"});
  spoor({"think", with_hidden("thought")});
  spoor({"assistant", with_hidden("answer"), "--model", "m\u200b1", "--calls",
         "[{\"id\":\"c\u200b2\",\"name\":\"ls\u200b\U000e0041\",\"arguments\":" +
             json_text(with_hidden("folder")) + "}]"});
  spoor({"tool", with_hidden("listing"), "--call", "c\u200b2", "--name", "ls\u200b\U000e0041"});
  spoor({"pin", "HEAD~3", with_hidden("reason")});
  spoor({"edit", "HEAD~1", with_hidden("edited")});
  spoor({"tag", "v1", "--message", with_hidden("note")});
  spoor({"branch", "side\u200bways"});
}

void check_shown(const std::string& out) {
  const auto count = spoor::count_hidden(out);
  CHECK_MESSAGE(count.characters == 0, out.substr(0, 4'000));
}

}  // namespace

TEST_SUITE("cli/hidden_views") {
  TEST_CASE("no view prints a hidden character as it is") {
    Program spoor;
    fill(spoor);
    const std::vector<std::vector<std::string>> views = {
        {"log"},
        {"log", "-p"},
        {"log", "--oneline"},
        {"log", "--graph", "--all"},
        {"log", "--json"},
        {"log", "--stream"},
        {"log", "--grep", "question"},
        {"show"},
        {"show", "HEAD~1", "HEAD~2", "HEAD~3", "HEAD~4", "HEAD~5"},
        {"show", "--text", "HEAD~2"},
        {"show", "--items", "HEAD~3"},
        {"show", "--json"},
        {"show", "v1"},
        {"pprint"},
        {"pprint", "--all"},
        {"pprint", "--json"},
        {"compile"},
        {"compile", "--json"},
        {"diff", "HEAD~6", "HEAD"},
        {"diff", "--stat", "HEAD~6", "HEAD"},
        {"status"},
        {"branch"},
        {"branch", "--json"},
        {"tag"},
        {"tag", "--json"},
        {"oplog"},
        {"oplog", "--json"},
        {"operations"},
        {"blame"},
        {"why", "HEAD~2"},
        {"versions"},
        {"reasoning"},
        {"reasoning", "--json"},
        {"search", "question"},
        {"search", "--query", "listing"},
        {"stats"},
        {"runs"},
        {"runs", "--json"},
        {"debrief"},
        {"debrief", "--format", "tree"},
        {"debrief", "--format", "classic"},
        {"debrief", "--markdown"},
        {"debrief", "--html"},
        {"debrief", "--json"},
        {"report"},
        {"report", "--markdown"},
        {"report", "--html"},
        {"report", "--json"},
        {"events"},
        {"check", "--constraint", "safety: hosts example.com"},
        {"replay"},
        {"audit"},
        {"export"},
        {"export", "--format", "markdown"},
        {"undo", "--dry-run"},
        {"store", "gc"},
        {"store", "fsck"},
        {"show", "nosuch\u200b\U000e0041"},
        {"wrong\u200b\U000e0041"},
    };
    for (const bool is_tty : {false, true}) {
      spoor.tty = is_tty;
      for (const auto& view : views) {
        std::string line;
        for (const std::string& word : view) line += word + ' ';
        CAPTURE(line);
        CAPTURE(is_tty);
        const auto answer = spoor(view);
        check_shown(answer.out);
        check_shown(answer.err);
      }
    }
  }

  TEST_CASE("nor does the interactive session") {
    Program spoor;
    fill(spoor);
    const auto answer = spoor({}, "log\nat HEAD~2\nprev\nshow\npprint\nbranch\nstatus\n");
    CHECK(holds(answer.out, "<U+E0041>"));
    check_shown(answer.out);
    check_shown(answer.err);
  }

  TEST_CASE("show counts the invisible characters of a turn") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "plain"});
    CHECK_FALSE(holds(spoor.out({"show"}), "invisible"));
    spoor({"user", "a\u200bb\U000e0041"});
    CHECK(holds(spoor.out({"show"}), "hidden    2 invisible characters, shown as <U+…>"));
    CHECK(holds(spoor.out({"show"}), "a<U+200B>b<U+E0041>"));
    CHECK(spoor.out({"show", "--text", "--raw"}) == "a\u200bb\U000e0041");
  }
}
