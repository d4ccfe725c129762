#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/json/reader.h"
#include "cli/commands.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;
namespace fs = std::filesystem;

namespace {

using spoor::testing::holds;

std::string hash_of(const std::string& document) {
  const auto parsed = spoor::json::parse(document);
  REQUIRE(parsed);
  return parsed.value().root().find("hash").text();
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_SUITE("cli/store") {
  TEST_CASE("without a store a command says how to make one") {
    Program spoor;
    const auto answer = spoor({"log"});
    CHECK(answer.status == 1);
    CHECK(answer.err ==
          "error: no store in this folder or any parent, and no store of your own\n"
          "hint: create one with 'spoor init', or import sessions with 'spoor import'\n");
  }

  TEST_CASE("the store is found from a folder below it") {
    Program spoor;
    spoor({"init"});
    fs::create_directories(spoor.folder.path + "/a/b");
    spoor.environment.working_directory = spoor.folder.path + "/a/b";
    CHECK(spoor({"status"}).status == 0);
  }

  TEST_CASE("--store and SPOOR_STORE name another one, a folder stands for its .spoor") {
    Program spoor;
    fs::create_directories(spoor.folder.path + "/other");
    CHECK(spoor({"init", "other"}).status == 0);
    CHECK(spoor({"--store", "other", "status"}).status == 0);
    CHECK(spoor({"status", "-s", "other/.spoor"}).status == 0);
    spoor.environment.variables["SPOOR_STORE"] = "other";
    CHECK(spoor({"status"}).status == 0);
  }

  TEST_CASE("init makes the store that SPOOR_STORE names") {
    Program spoor;
    spoor.environment.variables["SPOOR_STORE"] = "third.spoor";
    CHECK(spoor({"init"}).status == 0);
    CHECK(fs::exists(spoor.folder.path + "/third.spoor"));
    CHECK_FALSE(fs::exists(spoor.folder.path + "/.spoor"));
  }

  TEST_CASE("a colour that is none, in the file, stops no command") {
    Program spoor;
    spoor.environment.variables["XDG_CONFIG_HOME"] = spoor.folder.path;
    fs::create_directories(spoor.folder.path + "/spoor");
    std::ofstream(spoor.folder.path + "/spoor/config.toml") << "color = \"purple\"\n";
    CHECK(spoor({"config", "color"}).out == "purple\n");
    CHECK(spoor({"config", "color", "purple"}).status == 1);
    CHECK(spoor({"config", "color", "auto"}).status == 0);
    CHECK(spoor({"config", "color"}).out == "auto\n");
  }

  TEST_CASE("init does not touch what is there") {
    Program spoor;
    spoor({"init"});
    CHECK(spoor({"init"}).status == 1);
  }

  TEST_CASE("a private store's key lies outside of it, and only its owner may read it") {
    Program spoor;
    REQUIRE(spoor({"init", "--private"}).status == 0);
    const fs::path keys = spoor.folder.path + "/.local/share/spoor/keys";
    REQUIRE(fs::exists(keys));
    const fs::path key = fs::directory_iterator(keys)->path();
    CHECK(fs::status(key).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    REQUIRE(spoor({"user", "secret"}).status == 0);

    fs::rename(key, spoor.folder.path + "/elsewhere");
    CHECK(spoor({"show", "--text"}).out == "secret");
    const auto refused = spoor({"user", "more"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "private"));
  }

  TEST_CASE("a private store gives the same text another name") {
    Program open;
    Program closed;
    open({"init"});
    closed({"init", "--private"});
    CHECK(hash_of(open.out({"user", "hello", "--json"})) !=
          hash_of(closed.out({"user", "hello", "--json"})));
  }

  TEST_CASE("a token limit refuses the turn that would pass it") {
    Program spoor;
    spoor({"init", "--token-limit", "10"});
    CHECK(spoor({"user", "short"}).status == 0);
    CHECK(spoor({"user", std::string(200, 'x')}).status == 1);
    CHECK(holds(spoor({"status"}).out, "of 10 allowed"));
  }
}

TEST_SUITE("cli/log") {
  TEST_CASE("two lines a commit, bookkeeping hidden and its effect shown") {
    Program spoor;
    spoor.make_history();
    const std::string log = spoor.out({"log"});
    CHECK(lines_in(log) == 2 * 7);  // The pin is hidden, the edit is not.
    CHECK(holds(log, "  user  ≈4 tok  pinned\n    list the files\n"));
    CHECK(holds(log, "  edited\n    two files: a.txt and b.txt\n"));
    CHECK(holds(log, "[reasoning]"));
    CHECK(lines_in(spoor.out({"log", "--all-commits"})) == 2 * 8);
  }

  TEST_CASE("a branch whose newest commit is hidden is named at the one before it") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "a"});
    spoor({"pin", "HEAD"});
    CHECK(holds(spoor.out({"log"}), "pinned (HEAD -> main)\n    a\n"));
  }

  TEST_CASE("filters: type, author, grep, time and number") {
    Program spoor;
    spoor.make_history();
    CHECK(lines_in(spoor.out({"log", "--oneline", "--type", "reasoning"})) == 1);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--type", "annotate"})) == 1);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--author", "nobody"})) == 0);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--author", "ADA", "-i"})) == 7);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--grep", "two files"})) == 2);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--grep", "TWO", "-i", "-n", "1"})) == 1);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--since", "4 seconds ago"})) == 0);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--until", "1 hour ago"})) == 0);
    CHECK(lines_in(spoor.out({"log", "--oneline", "-3"})) == 3);
    CHECK(lines_in(spoor.out({"log", "--oneline", "-n", "0"})) == 0);
  }

  TEST_CASE("a wrong type is a usage error") {
    Program spoor;
    spoor.make_history();
    CHECK(spoor({"log", "--type", "thought"}).status == 2);
  }

  TEST_CASE("a range is what one side has and the other has not") {
    Program spoor;
    spoor.make_history();
    spoor({"branch", "topic", "HEAD~5"});
    spoor({"switch", "topic"});
    spoor({"user", "other way"});
    CHECK(lines_in(spoor.out({"log", "--oneline", "main..topic"})) == 1);
    CHECK(lines_in(spoor.out({"log", "--oneline", "topic..main"})) == 4);
    CHECK(lines_in(spoor.out({"log", "--oneline", "main.."})) == 1);
    CHECK(lines_in(spoor.out({"log", "--oneline", "--all"})) == 8);
  }

  TEST_CASE("the graph draws where lines part") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "a"});
    spoor({"branch", "topic"});
    spoor({"user", "b"});
    spoor({"switch", "topic"});
    spoor({"user", "c"});
    const std::string graph = spoor.out({"log", "--oneline", "--graph", "--all"});
    CHECK(holds(graph, "\n| * "));
    CHECK(holds(graph, "\n|/\n* "));
  }

  TEST_CASE("what was said never reaches the terminal as a command to it") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "\x1b]0;owned\x07 \u202etxt.exe \x9b"});
    for (const std::vector<std::string>& words : {std::vector<std::string>{"log"},
                                                  {"log", "-p"},
                                                  {"log", "--oneline"},
                                                  {"log", "--json"},
                                                  {"show"},
                                                  {"show", "--json"},
                                                  {"show", "--text"},
                                                  {"pprint"},
                                                  {"pprint", "--style", "table"},
                                                  {"pprint", "--style", "compact"},
                                                  {"pprint", "--json"},
                                                  {"compile"},
                                                  {"compile", "--to", "openai"},
                                                  {"compile", "--to", "anthropic"},
                                                  {"compile", "--json"},
                                                  {"diff"},
                                                  {"diff", "--json"},
                                                  {"diff", "--stat"},
                                                  {"diff", "--format", "words"},
                                                  {"status"},
                                                  {"branch"}}) {
      for (const bool tty : {false, true}) {
        spoor.tty = tty;
        INFO(words.front() << " " << (words.size() > 1 ? words[1] : ""));
        std::vector<std::string> line = words;
        line.emplace_back("--color=never");
        const std::string out = spoor.out(line);
        CHECK(!out.empty());
        CHECK(out.find('\x1b') == std::string::npos);
        CHECK(out.find('\a') == std::string::npos);
        CHECK(!holds(out, "\u202e"));
        CHECK(!holds(out, "\x9b"));
      }
    }
    spoor.tty = false;
    CHECK(holds(spoor.out({"show", "--text", "--raw"}), "\x1b]0;owned\x07"));
  }

  TEST_CASE("nothing is wider than the terminal where a person looks") {
    Program spoor;
    spoor.make_history();
    spoor({"user", std::string(300, 'x') + "漢字"});
    spoor.tty = true;
    for (const std::string style : {"log", "status", "branch"}) {
      std::string out = spoor.out({style, "--color=never"});
      for (std::size_t end = 0; (end = out.find('\n')) != std::string::npos;
           out.erase(0, end + 1)) {
        CHECK(end <= 80 + 3);  // Three bytes of `…` are one column.
      }
    }
  }
}

TEST_SUITE("cli/diff") {
  TEST_CASE("--exit-code tells whether there are differences") {
    Program spoor;
    spoor.make_history();
    CHECK(spoor({"diff", "HEAD", "HEAD", "--exit-code"}).status == 0);
    CHECK(spoor({"diff", "HEAD~1", "HEAD", "--exit-code"}).status == 1);
    CHECK(spoor({"diff", "HEAD~1", "HEAD"}).status == 0);
  }

  TEST_CASE("words that went and came are marked") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "the quick fox"});
    spoor({"edit", "HEAD", "the slow fox"});
    CHECK(holds(spoor.out({"diff", "--format", "words"}), "the [-quick-]{+slow+} fox"));
  }

  TEST_CASE("a pipe gets a unified diff") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "1\n2\n3\n4\n5\n6\n7\n8\n"});
    spoor({"edit", "HEAD", "1\n2\n3\n4\nfive\n6\n7\n8\n"});
    CHECK(holds(spoor.out({"diff"}), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"));
  }

  TEST_CASE("reasoning only reads: a text that is not a revision is an error") {
    Program spoor;
    spoor.make_history();
    const std::string before = spoor.out({"oplog"});
    CHECK(spoor({"reasoning", "It must be the parser."}).status == 1);
    CHECK(spoor({"reasoning", "HEAD~3 "}).status == 1);
    CHECK(spoor.out({"oplog"}) == before);
  }

  TEST_CASE("reasoning lists that of a branch, and shows that before a turn") {
    Program spoor;
    spoor.out({"init"});
    spoor.out({"user", "why?"});
    spoor.out({"think", "First of all, look."});
    spoor.out({"assistant", "Looking."});
    spoor.out({"think", "It must be the parser."});
    spoor.out({"assistant", "The parser."});
    const std::string all = spoor.out({"reasoning", "main"});
    CHECK(holds(all, "First of all, look."));
    CHECK(holds(all, "It must be the parser."));
    const std::string one = spoor.out({"reasoning", "HEAD"});
    CHECK_FALSE(holds(one, "First of all, look."));
    CHECK(holds(one, "It must be the parser."));
  }

  TEST_CASE("reasoning is compared only when asked for") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "a"});
    spoor({"think", "hmm"});
    CHECK(spoor({"diff", "--exit-code"}).status == 0);
    CHECK(spoor({"diff", "--exit-code", "--reasoning"}).status == 1);
  }
}

TEST_SUITE("cli/prompt") {
  TEST_CASE("pprint --all shows what is out, where it would be, and why") {
    Program spoor;
    spoor.make_history();
    spoor({"skip", "HEAD~3", "too long"});
    const std::string all = spoor.out({"pprint", "--all"});
    CHECK(holds(all, "left out: skip by default\nls will do\n"));
    CHECK(holds(all, "left out: skip (too long)"));
    CHECK(all.find("list the files") < all.find("ls will do"));
    CHECK(!holds(spoor.out({"pprint"}), "ls will do"));
  }

  TEST_CASE("why finds what escapes hide in a call's arguments, and shows it as it was meant") {
    Program spoor;
    spoor({"init"});
    spoor(
        {"assistant", "", "--calls",
         R"([{"id":"c1","name":"edit","arguments":"{\"new\":\"def f():\\n\\tsay(\\\"hi\\\")\"}"}])"});
    const auto seen = spoor({"why", "():\n\tsay(\"hi"});
    CHECK(seen.status == 0);
    CHECK(holds(seen.out, "    → edit new\n      def f():\n      \tsay(\"hi\")\n"));
    CHECK(holds(spoor.out({"why", "():\n\tsay(\"hi", "--json"}), "\"name\": \"new\""));
    CHECK(spoor({"why", R"(():\n\tsay)"}).status == 0);  // As the provider wrote it.
    CHECK(spoor({"why", "():say"}).status == 1);
    spoor({"skip", "HEAD"});
    CHECK(holds(spoor({"why", "say(\"hi"}).err, "contains it, but is left out"));
  }

  TEST_CASE("compile at an earlier commit needs that commit in the history") {
    Program spoor;
    spoor.make_history();
    CHECK(spoor({"compile", "HEAD", "--at", "HEAD~6"}).out == spoor.out({"compile", "HEAD~6"}));
    spoor({"branch", "topic", "HEAD~6"});
    spoor({"switch", "topic"});
    spoor({"user", "x"});
    CHECK(spoor({"compile", "main", "--at", "topic"}).status == 1);
  }

  TEST_CASE("options of compile reach the compiler") {
    Program spoor;
    spoor.make_history();
    CHECK(holds(spoor.out({"compile", "--include-reasoning"}), "ls will do"));
    CHECK(!holds(spoor.out({"compile", "--budget", "1"}), "two files"));
    const auto refused = spoor({"compile", "--window", "0"});
    CHECK(refused.status == 2);
    CHECK(holds(refused.err, "'--window' takes a number from 1 on, not '0'"));
  }

  TEST_CASE("compile says what a provider would not take as it stands") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "count"});
    spoor({"assistant", "", "--calls", R"([{"id":"c1","name":"ls","arguments":"{}"}])"});
    const auto open = spoor({"compile", "--to", "openai"});
    CHECK(open.status == 0);
    CHECK(open.err ==
          "1 call or result without the other half, which providers refuse: use --model\n");
    CHECK(spoor({"compile"}).err.empty());
    const std::string picture = spoor.folder.path + "/a.png";
    std::ofstream(picture) << "PNG";
    spoor({"tool", "two", "--call", "c1", "--attach", picture});
    CHECK(spoor({"compile", "--to", "openai"}).err ==
          "1 picture left out: the API does not accept it there\n");
    CHECK(spoor({"compile", "--to", "anthropic"}).err.empty());
    CHECK(holds(spoor.out({"compile", "--to", "anthropic"}), "UE5H"));
    CHECK(holds(spoor.out({"pprint"}), "[image/png "));
    CHECK(holds(spoor.out({"pprint", "--style", "compact"}), "two [image/png]"));
    CHECK(holds(spoor.out({"diff"}), "+[image/png "));
  }

  TEST_CASE("an empty branch compiles to an empty prompt") {
    Program spoor;
    spoor({"init"});
    CHECK(spoor({"compile", "--to", "openai"}).out == "[]\n");
    CHECK(spoor({"pprint"}).status == 0);
  }
}

TEST_SUITE("cli/refs") {
  TEST_CASE("a detached HEAD refuses writes and says what to do") {
    Program spoor;
    spoor.make_history();
    CHECK(spoor({"switch", "--detach", "HEAD~2"}).status == 0);
    const auto refused = spoor({"user", "x"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "HEAD is detached"));
    CHECK(spoor({"branch", "here"}).status == 0);
    CHECK(spoor({"switch", "-"}).out ==
          "HEAD: " + spoor.out({"show", "here", "--json"}).substr(13, 8) +
              " -> main (undo: spoor switch -)\n");
  }

  TEST_CASE("switch suggests a branch that is nearly called that") {
    Program spoor;
    spoor.make_history();
    const auto refused = spoor({"switch", "mian"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "did you mean 'main'?"));
  }

  TEST_CASE("a branch with commits of its own is not deleted without --force") {
    Program spoor;
    spoor.make_history();
    spoor({"branch", "topic"});
    spoor({"switch", "topic"});
    spoor({"user", "x"});
    spoor({"switch", "main"});
    CHECK(spoor({"branch", "--delete", "topic"}).status == 1);
    CHECK(spoor({"branch", "--delete", "--force", "topic"}).status == 0);
    CHECK(spoor({"branch", "--delete", "main"}).status == 1);
  }

  TEST_CASE("the undo of a turn is a command that takes it back") {
    Program spoor;
    spoor.make_history();
    const std::string before = spoor.out({"log", "--json"});
    const std::string said = spoor.out({"user", "oops"});
    const std::size_t begin = said.find("(undo: spoor ") + 13;
    const std::string undo = said.substr(begin, said.find(')') - begin);
    CHECK(undo == "undo");
    CHECK(spoor({undo}).status == 0);
    CHECK(spoor.out({"log", "--json"}) == before);
  }

  TEST_CASE("names that git would refuse are refused") {
    Program spoor;
    spoor.make_history();
    for (const char* name : {"a..b", "-x", "a b", "a~1", "HEAD", "x.lock", ""}) {
      CHECK(spoor({"branch", "--", name, "HEAD"}).status != 0);
    }
  }
}

TEST_SUITE("cli/turns") {
  TEST_CASE("- reads standard input byte for byte") {
    Program spoor;
    spoor({"init"});
    const std::string text = std::string("a\r\n\0b\xff", 6) + "\n";
    REQUIRE(spoor({"user", "-"}, text).status == 0);
    CHECK(spoor.out({"show", "--text", "--raw"}) == text);
  }

  TEST_CASE("a text that looks like an option follows --") {
    Program spoor;
    spoor({"init"});
    REQUIRE(spoor({"user", "--", "--help"}).status == 0);
    CHECK(spoor.out({"show", "--text"}) == "--help");
  }

  TEST_CASE("arguments of calls are kept as they were written") {
    Program spoor;
    spoor({"init"});
    const std::string calls = R"([{"id":"1","name":"f","arguments":{"n": 1.50,"z":0}}])";
    REQUIRE(spoor({"assistant", "x", "--calls", calls}).status == 0);
    CHECK(holds(spoor.out({"compile", "--to", "openai"}), R"({\"n\": 1.50,\"z\":0})"));
    CHECK(spoor({"assistant", "x", "--calls", "{}"}).status == 2);
  }

  TEST_CASE("the same words at the same time are the same commit") {
    Program one;
    Program two;
    one.make_history();
    two.make_history();
    CHECK(one.out({"show", "--json"}) == two.out({"show", "--json"}));
  }

  TEST_CASE("files are attached with a media type") {
    Program spoor;
    spoor({"init"});
    std::ofstream(spoor.folder.path + "/a.png") << "png";
    REQUIRE(spoor({"user", "see", "--attach", spoor.folder.path + "/a.png"}).status == 0);
    CHECK(holds(spoor.out({"show"}), "image/png"));
    CHECK(spoor({"user", "see", "--attach", "nosuch"}).status == 1);
  }
}

TEST_SUITE("cli/imported") {
  TEST_CASE("one line of a turn without a text names its pictures, or the error it ended with") {
    Program spoor;
    const std::string path = spoor.folder.path + "/session.json";
    std::ofstream(path) << R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":)"
                        << R"("data:image/png;base64,cG5n"}}]},{"role":"assistant","content":""}])";
    REQUIRE(spoor({"import", path}).status == 0);
    const std::string log = spoor.out({"log", "--oneline"});
    CHECK(holds(log, "user        [image/png]\n"));
    CHECK(holds(log, "assistant   (empty)\n"));
    CHECK(holds(spoor.out({"log"}), "    [image/png]\n"));
    CHECK(holds(spoor.out({"export", "--markdown"}), "` [image/png "));

    Program failed;
    REQUIRE(failed({"import", SPOOR_SOURCE_DIR "/tests/data/import/pi/session.jsonl"}).status == 0);
    CHECK(holds(failed.out({"log", "--oneline", "--all"}), "error: 500: overloaded\n"));
  }

  TEST_CASE("a call whose arguments are no JSON is shown by their first line") {
    Program spoor;
    REQUIRE(spoor({"import", SPOOR_SOURCE_DIR "/tests/data/import/codex/rollout.jsonl"}).status ==
            0);
    CHECK(holds(spoor.out({"log", "--oneline", "--all"}), "apply_patch *** Begin Patch\n"));
  }

  TEST_CASE("stats counts calls whose exit code is not 0 as failed, and what caches took in") {
    Program spoor;
    const std::string path = spoor.folder.path + "/run.traj.json";
    const std::string tool = "a_tool_with_a_name_that_is_longer_than_the_column";
    std::ofstream(path)
        << R"({"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"user","content":"go"},)"
        << R"({"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":")"
        << tool << R"(","arguments":"{}"}},{"id":"c2","function":{"name":"ls","arguments":"{}"}}],)"
        << R"("extra":{"response":{"usage":{"input_tokens":9,"output_tokens":2,)"
        << R"("cache_creation_input_tokens":4}}}},)"
        << R"({"role":"tool","tool_call_id":"c1","content":"","extra":{"returncode":1}},)"
        << R"({"role":"tool","tool_call_id":"c2","content":"","extra":{"returncode":0}}]})";
    REQUIRE(spoor({"import", path}).status == 0);
    const std::string stats = spoor.out({"stats"});
    CHECK(holds(stats, "  " + tool + std::string(13, ' ') + "1  1 failed\n"));
    CHECK(holds(stats, "  ls" + std::string(tool.size() - 2 + 13, ' ') + "1\n"));
    CHECK(holds(stats, "written to cache"));
    CHECK(holds(spoor.out({"stats", "--json"}), "\"cache_written_tokens\": 4"));
  }
}

TEST_SUITE("cli/config") {
  TEST_CASE("a setting is listed with where it comes from") {
    Program spoor;
    spoor({"init"});
    CHECK(holds(spoor.out({"config"}), "(environment)"));
    CHECK(spoor({"config", "color", "never"}).out == "color: (default) -> never\n");
    CHECK(spoor.out({"config", "color"}) == "never\n");
    CHECK(spoor({"config", "color", "--unset"}).status == 0);
    CHECK(spoor({"config", "colour"}).status == 1);
  }

  TEST_CASE("a store may set the author and no pager") {
    Program spoor;
    spoor.environment.variables.erase("SPOOR_AUTHOR");
    spoor({"init"});
    CHECK(spoor({"config", "--in-store", "author", "bob"}).status == 0);
    CHECK(spoor({"config", "--in-store", "pager", "evil"}).status == 1);
    spoor({"user", "x"});
    CHECK(holds(spoor.out({"show"}), "author    bob\n"));
  }
}
