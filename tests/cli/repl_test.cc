// Scripts: lines on standard input that nobody types. What a person at a terminal
// sees is driven by tests/repl.
#include <fstream>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;

namespace {

using spoor::testing::holds;

Program::Answer script(Program& spoor, const std::string& lines) { return spoor({}, lines); }

}  // namespace

TEST_SUITE("cli/repl") {
  TEST_CASE("a script prints what the commands alone print, and nothing else") {
    Program spoor;
    spoor.make_history();
    const std::string log = spoor.out({"log", "--oneline"});
    const std::string prompt = spoor.out({"pprint"});
    const auto seen = script(spoor, "log --oneline\n\n# a remark\n/pprint\n");
    CHECK(seen.out == log + prompt);
    CHECK(seen.err.empty());
    CHECK(seen.status == 0);
  }

  TEST_CASE("a failure names its line, the rest still runs, the first status counts") {
    Program spoor;
    spoor.make_history();
    const auto seen = script(spoor, "log -n 1\nlgo\nshow nosuch\nstatus\n");
    CHECK(holds(seen.err, "error: stdin:2: unknown command 'lgo'\nhint: did you mean 'log'?"));
    CHECK(holds(seen.err, "error: stdin:3: no branch, tag or commit named 'nosuch'"));
    CHECK(holds(seen.out, "On branch main"));
    CHECK(seen.status == 2);
  }

  TEST_CASE(".bail on ends a script at its first failure") {
    Program spoor;
    spoor.make_history();
    const auto seen = script(spoor, ".bail on\nshow nosuch\nstatus\n");
    CHECK(seen.out.empty());
    CHECK(seen.status == 1);
  }

  TEST_CASE("a quote may go over lines, and one that is never closed is an error") {
    Program spoor;
    spoor({"init"});
    CHECK(script(spoor, "user 'one\ntwo'\nshow --text\n").status == 0);
    CHECK(spoor.out({"show", "--text"}) == "one\ntwo");
    const auto open = script(spoor, "status\nuser 'one\ntwo\n");
    CHECK(open.err == "error: stdin:2: a quote is not closed\n");
    CHECK(open.status == 1);
  }

  TEST_CASE("what follows a verb of prose is the text, apostrophes and all") {
    Program spoor;
    spoor({"init"});
    REQUIRE(script(spoor, "user What's --wrong, \"Ada\"?\n").status == 0);
    CHECK(spoor.out({"show", "--text"}) == "What's --wrong, \"Ada\"?");
  }

  TEST_CASE("with a model, a line without a slash is a user's turn byte for byte") {
    Program spoor;
    spoor({"init"});
    const std::string replies = spoor.folder.path + "/replies.jsonl";
    std::ofstream(replies) << R"({"choices":[{"message":{"content":"one"}}]})"
                              "\n"
                           << R"({"choices":[{"message":{"content":"two"}}]})"
                              "\n";
    spoor.environment.variables["SPOOR_MODEL"] = "scripted/" + replies;
    const std::string line = "log  'the \\ error\xff ";
    REQUIRE(script(spoor, line + "\n\n-\n").status == 0);
    CHECK(spoor.out({"show", "--text", "--raw", "HEAD~3"}) == line);
    CHECK(spoor.out({"show", "--text", "HEAD~2"}) == "one");
    CHECK(spoor.out({"show", "--text", "HEAD~1"}) == "-");
    CHECK(spoor.out({"log", "--type", "user", "--oneline"}) ==
          script(spoor, "/log --oneline --type user\n").out);
  }

  TEST_CASE("@numbers name the ids that the last listing printed") {
    Program spoor;
    spoor.make_history();
    const std::string third = spoor.out({"show", "--text", "HEAD~4"});
    const auto seen = script(spoor, "log --oneline\nversion\nshow --text @3\n");
    CHECK(holds(seen.out, third));
    CHECK(!holds(seen.out, "@3"));  // Nobody looks: the listing is as ever.
    CHECK(script(spoor, "log\nshow --text @3~1\n").status == 0);
    CHECK(script(spoor, "log\ndiff @2..@1\n").status == 0);
    const auto none = script(spoor, "log -n 2\nshow @3\nshow @0\n");
    CHECK(holds(none.err, "there is no @3\nhint: the last listing printed @1 to @2\n"));
    CHECK(holds(none.err, "there is no @0"));
    CHECK(holds(script(spoor, "show @1\n").err, "see 'log'"));
  }

  TEST_CASE("one command line numbers nothing, even where a person looks") {
    Program spoor;
    spoor.make_history();
    spoor.tty = true;
    CHECK(!holds(spoor.out({"log", "--oneline"}), "@1"));
  }

  TEST_CASE("the table of a session's own commands is not the shell's") {
    Program spoor;
    spoor.make_history();
    const auto refused = spoor({"next"});
    CHECK(refused.status == 2);
    CHECK(holds(refused.err, "open it with 'spoor'"));
    CHECK(!holds(spoor({"nxet"}).err, "next"));
    CHECK(holds(script(spoor, "nxet\n").err, "did you mean 'next'?"));
  }

  TEST_CASE("a session uses one store") {
    Program spoor;
    spoor.make_history();
    CHECK(holds(script(spoor, "log --store elsewhere\n").err, "a session uses one store"));
    Program other;
    CHECK(other({"--store", spoor.folder.path}, "status\n").status == 0);
  }

  TEST_CASE("a session opened as of an operation stays there") {
    Program spoor;
    spoor.make_history();
    const std::string operation = spoor.out({"oplog", "-n", "1"}).substr(0, 12);
    spoor({"user", "later"});
    const auto seen = spoor({"--at-op", operation}, "log --oneline\nstatus\n");
    CHECK(seen.status == 0);
    CHECK(holds(seen.out, "On branch main"));
    CHECK(!holds(seen.out, "later"));
    CHECK(holds(script(spoor, "log\nlog --at-op " + operation + "\n").err, "already open"));
  }

  TEST_CASE(".once sends one output to a file, .read runs a file's lines") {
    Program spoor;
    spoor.make_history();
    const std::string file = spoor.folder.path + "/out";
    const std::string lines = spoor.folder.path + "/lines";
    std::ofstream(lines) << "status\nshow nosuch\n";
    const auto seen = script(spoor, ".once " + file + "\nlog --oneline\n.read " + lines + "\n");
    std::ifstream written(file);
    std::string first;
    std::getline(written, first);
    CHECK(holds(spoor.out({"log", "--oneline"}), first));
    CHECK(seen.out == spoor.out({"status"}));
    CHECK(holds(seen.err, "error: " + lines + ":2: no branch"));
    CHECK(seen.status == 1);
    CHECK(holds(script(spoor, ".once /nosuch/x\nlog\n").err, "stdin:2: cannot write '/nosuch/x'"));
    CHECK(holds(script(spoor, ".read /nosuch/x\n").err, "no file"));
  }

  TEST_CASE("a script cannot be its commands' input, too") {
    Program spoor;
    spoor.make_history();
    const std::string before = spoor.out({"branch", "--json"});
    for (const std::string line : {"user -", "edit HEAD -", "batch", "import -"}) {
      const auto seen = script(spoor, line + "\n{}\n");
      CHECK(holds(seen.err, "standard input contains the script"));
    }
    CHECK(spoor.out({"branch", "--json"}) == before);
  }

  TEST_CASE("a script that reads itself ends") {
    Program spoor;
    spoor({"init"});
    const std::string lines = spoor.folder.path + "/lines";
    std::ofstream(lines) << ".read " << lines << "\n";
    const auto seen = script(spoor, ".read " + lines + "\n");
    CHECK(holds(seen.err, "includes itself too deeply"));
    CHECK(seen.status == 1);
  }

  TEST_CASE("quit leaves, timer tells the time on the other stream") {
    Program spoor;
    spoor.make_history();
    const auto seen = script(spoor, "timer on\nstatus\nquit\nlog\n");
    CHECK(seen.out == spoor.out({"status"}));
    CHECK(holds(seen.err, " ms\n"));
  }

  TEST_CASE("without a store every command says what to do, and init helps") {
    Program spoor;
    const auto seen = script(spoor, "log\ninit\nuser hello\nlog --oneline\n");
    CHECK(holds(seen.err,
                "stdin:1: no store in this folder or any parent, and no store of your own\nhint: "
                "create one with"));
    CHECK(holds(seen.out, "hello"));
    CHECK(seen.status == 1);
  }
}

TEST_SUITE("cli/walking") {
  TEST_CASE("at, next, prev and back move where one looks, and no branch") {
    Program spoor;
    spoor.make_history();
    const std::string before = spoor.out({"branch", "--json"});
    // system, user, reasoning, assistant, tool, assistant, annotate, edit
    const auto text = [&](const std::string& steps) {
      return script(spoor, steps + "\n.bail on\nshow --json\n").out;
    };
    CHECK(holds(text("at HEAD~6"), "\"list the files\""));
    CHECK(holds(text("at HEAD~6\nnext"), "\"ls will do\""));
    CHECK(holds(text("at HEAD~6\nnext 2\nprev"), "\"ls will do\""));
    CHECK(holds(text("at HEAD~3\nnext"), "two files: a.txt and b.txt"));
    CHECK(holds(text("at HEAD~2\nnext"), "\"type\": \"edit\""));  // Over the annotation.
    CHECK(holds(text("prev 2"), "\"a.txt\\nb.txt\\n\""));
    CHECK(holds(text("at HEAD~6\nback"), "\"type\": \"edit\""));
    CHECK(spoor.out({"branch", "--json"}) == before);
  }

  TEST_CASE("commands without a revision follow the view, HEAD stays HEAD") {
    Program spoor;
    spoor.make_history();
    for (const std::string verb : {"log --oneline", "pprint", "diff", "compile", "show", "stats"}) {
      std::vector<std::string> words{verb.substr(0, verb.find(' '))};
      if (verb.find(' ') != std::string::npos) words.push_back("--oneline");
      const std::string at_head = spoor.out(words);
      if (words[0] == "diff") words.push_back("HEAD~5..HEAD~4");
      if (words[0] != "diff") words.push_back("HEAD~4");
      const std::string wanted = spoor.out(words);
      const std::string file = spoor.folder.path + "/out";
      REQUIRE(script(spoor, "at HEAD~4\n.once " + file + "\n" + verb + "\n").status == 0);
      std::ifstream stream(file);
      std::string seen((std::istreambuf_iterator<char>(stream)), {});
      const std::size_t label = seen.find(" (view)");
      if (label != std::string::npos) seen.erase(label, 7);
      INFO(verb);
      CHECK(seen == wanted);
    }
    CHECK(holds(script(spoor, "at HEAD~4\nshow --json HEAD\n").out, "\"type\": \"edit\""));
  }

  TEST_CASE("back goes to before the last jump; steps are no stations") {
    Program spoor;
    spoor.make_history();
    CHECK(holds(script(spoor, "at HEAD~6\nat HEAD~2\nprev\nprev\nback\nshow --json\n").out,
                "\"list the files\""));
    CHECK(script(spoor, "at HEAD~6\nat HEAD~2\nback --all\nback\n").status == 1);
    CHECK(script(spoor, "back\n").status == 1);
  }

  TEST_CASE("the ends of a line are said, and stay where one stands") {
    Program spoor;
    spoor.make_history();
    const auto first = script(spoor, "at HEAD~7\nprev\nshow --text\n");
    CHECK(holds(first.err, "is the first turn"));
    CHECK(holds(first.out, "be brief"));
    CHECK(holds(script(spoor, "next\n").err, "is the newest turn of main"));
  }

  TEST_CASE("next follows the branch that 'at' named") {
    Program spoor;
    spoor.make_history();
    spoor({"branch", "topic", "HEAD~5"});
    spoor({"switch", "topic"});
    spoor({"user", "elsewhere"});
    spoor({"switch", "main"});
    CHECK(holds(script(spoor, "at topic~1\nnext\n").out, "elsewhere"));
    CHECK(holds(script(spoor, "at HEAD~5\nnext\n").out, "sure"));
    CHECK(holds(script(spoor, "at topic\nwhere\n").out, "on topic, commit 4 of 4"));
  }

  TEST_CASE("a commit that no branch continues from has no next") {
    Program spoor;
    spoor.make_history();
    const std::string tip = spoor.out({"log", "--oneline", "-n", "1"}).substr(0, 8);
    spoor({"tag", "old", "HEAD"});
    spoor({"branch", "--force", "main", "HEAD~3"});
    CHECK(holds(script(spoor, "at " + tip + "\nnext\n").err, "no branch continues from " + tip));
    CHECK(script(spoor, "at " + tip + "\nprev\n").status == 0);
  }

  TEST_CASE("turns are refused while one looks back; pins and switch are not") {
    Program spoor;
    spoor.make_history();
    const auto seen =
        script(spoor, "at HEAD~4\nuser more\npin HEAD~4\nswitch --create x\nuser more\n");
    CHECK(holds(seen.err, "stdin:2: the view is at"));
    CHECK(!holds(seen.err, "stdin:3"));
    CHECK(!holds(seen.err, "stdin:5"));
  }
}
