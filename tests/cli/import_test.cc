#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "base/json/reader.h"
#include "cli/settings/store_path.h"
#include "cli/terminal/interrupt.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;

namespace {

using spoor::testing::holds;

constexpr const char* kSample = SPOOR_SOURCE_DIR "/examples/data/sample-session.jsonl";

}  // namespace

TEST_SUITE("cli/import") {
  TEST_CASE("import makes a store where there is none, and moves HEAD once") {
    Program spoor;
    const auto first = spoor({"import", kSample});
    CHECK(first.status == 0);
    CHECK(holds(first.err, "made a new store: "));
    CHECK(holds(first.out, "HEAD: on "));
    const auto second = spoor({"import", kSample});
    CHECK(second.status == 0);
    CHECK(second.err.empty());
    CHECK(holds(second.out, "new: 0 turns, 0 notes"));
    CHECK(!holds(second.out, "HEAD: on "));
  }

  TEST_CASE("the empty branch before a first import is no previous position") {
    Program spoor;
    REQUIRE(spoor({"import", kSample}).status == 0);
    const std::string head = spoor.out({"status"});
    const auto back = spoor({"switch", "-"});
    CHECK(back.status == 1);
    CHECK(back.err == "error: no previous position\nhint: spoor switch BRANCH\n");
    CHECK(spoor.out({"status"}) == head);
  }

  TEST_CASE("a session that goes on here stays grouped by request") {
    Program spoor;
    REQUIRE(spoor({"import", kSample}).status == 0);
    const std::string before = spoor.out({"log"});
    spoor({"user", "and now?"});
    const std::string after = spoor.out({"log"});
    CHECK(after == spoor.out({"requests"}));
    CHECK(holds(after, "> and now?\n"));
    CHECK(holds(after, before.substr(before.rfind("\n\n"))));
  }

  TEST_CASE("nothing to import makes no store") {
    Program spoor;
    const auto answer = spoor({"import", "nosuch.jsonl"});
    CHECK(answer.status == 1);
    CHECK(!holds(answer.err, "made a new store"));
    CHECK(spoor({"status"}).status == 1);
  }

  TEST_CASE("files that are no sessions make no store") {
    Program spoor;
    const std::string wrong = spoor.folder.path + "/wrong.jsonl";
    std::ofstream(wrong) << "no session\n";
    const auto answer = spoor({"import", wrong});
    CHECK(answer.status == 1);
    CHECK(holds(answer.err, "is not a session file that spoor can read"));
    CHECK(spoor({"status"}).status == 1);
    const std::string folder = spoor.folder.path + "/others";
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/package.json") << "{}\n";
    CHECK(holds(spoor({"import", folder}).out, "passed over         1"));
    const auto other = spoor({"import", folder, "--verbose"});
    CHECK(holds(other.out, "passed over         1"));
    CHECK(holds(other.out, folder + "/package.json"));
    CHECK(spoor({"status"}).status == 1);
  }

  TEST_CASE(
      "import alone finds the sessions of all agents, and imports into the user's own store") {
    Program spoor;
    const auto none = spoor({"import"});
    CHECK(none.status == 1);
    CHECK(holds(none.err, "no sessions of agents in your home folder"));
    CHECK(holds(none.err, "Claude Code, Codex, Gemini CLI"));
    const std::string home = spoor.environment.variables["HOME"];
    const std::string claude = home + "/.claude/projects/shop";
    const std::string codex = spoor.folder.path + "/elsewhere/sessions/2026";
    std::filesystem::create_directories(claude);
    std::filesystem::create_directories(codex);
    std::filesystem::copy(SPOOR_SOURCE_DIR "/examples/data/sample-session.jsonl", claude);
    std::ofstream(codex + "/rollout-1.jsonl")
        << R"({"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"0199aaaa-0000-7000-8000-000000000000","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/tmp","originator":"codex_cli_rs","cli_version":"0.98.0"}})"
        << "\n"
        << R"({"timestamp":"2026-03-01T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}})"
        << "\n";
    spoor.environment.variables["CODEX_HOME"] = spoor.folder.path + "/elsewhere";
    const auto all = spoor({"import"});
    CHECK(all.status == 0);
    CHECK(holds(all.out, "found Claude Code           1 file  ~/.claude/projects\n"));
    CHECK(holds(all.out, "found Codex                 1 file  ~/elsewhere/sessions\n"));
    CHECK(holds(all.out, "next: spoor sessions\n"));
    CHECK(holds(all.err, "made a new store: " + spoor::cli::user_store(spoor.environment)));
    const std::string own = spoor::cli::user_store(spoor.environment);
    const auto permissions = std::filesystem::status(own).permissions();
    CHECK((permissions & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    const std::string sessions = spoor.out({"sessions"});
    CHECK(holds(sessions, "claude-code"));
    CHECK(holds(sessions, "codex"));
    CHECK(holds(spoor({"import"}).out, "new: 0 turns, 0 notes"));
  }

  TEST_CASE("an import that read no session ends with 1") {
    Program spoor;
    const std::string folder = spoor.folder.path + "/others";
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/package.json") << "{}\n";
    CHECK(spoor({"import", folder}).status == 1);
    std::ofstream(folder + "/empty.json") << "\n";
    const auto empty = spoor({"import", folder + "/empty.json"});
    CHECK(empty.status == 1);
    CHECK(holds(empty.err, "nothing was imported"));
  }

  TEST_CASE("the list of files that an import passed over is bounded") {
    Program spoor;
    const std::string folder = spoor.folder.path + "/others";
    std::filesystem::create_directory(folder);
    for (int i = 0; i < 12; ++i)
      std::ofstream(folder + "/" + std::to_string(i) + ".json") << "{}\n";
    CHECK(holds(spoor({"import", folder, "-v"}).out, "… and 4 more files"));
  }

  TEST_CASE("an import that was stopped says what it did, and goes on when it is called again") {
    Program spoor;
    const std::string pipe = spoor.folder.path + "/pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    spoor::cli::install_interrupt_handler();
    std::thread writer([&] {
      std::ofstream to(pipe, std::ios::binary);
      std::raise(SIGINT);  // While the second of two files is read.
      to << std::ifstream(kSample, std::ios::binary).rdbuf();
    });
    const auto stopped = [&] {
      const spoor::cli::OutlivesInterrupts session;
      return spoor({"import", kSample, pipe});
    }();
    writer.join();
    std::signal(SIGINT, SIG_DFL);
    CHECK(stopped.status == 130);
    CHECK(holds(stopped.out, "1 file read"));
    CHECK(holds(stopped.out, "HEAD: on "));
    CHECK(holds(stopped.err, "hint: what was read before is stored"));
    CHECK(spoor({"import", kSample, kSample}).status == 0);
  }

  TEST_CASE("HEAD stays where it names a commit") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "mine"});
    CHECK(spoor({"import", kSample}).status == 0);
    CHECK(holds(spoor.out({"status"}), "On branch main\n"));
  }

  TEST_CASE("standard input is a session, too") {
    Program from_file;
    Program from_input;
    std::ifstream file(kSample, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    from_file({"import", kSample});
    CHECK(from_input({"import", "-"}, bytes).status == 0);
    CHECK(from_file.out({"log", "--json", "--all"}) == from_input.out({"log", "--json", "--all"}));
  }

  TEST_CASE("what can be read only once is read from its first byte") {
    Program from_file;
    Program from_pipe;
    from_file({"import", kSample});
    const std::string pipe = from_pipe.folder.path + "/pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
      std::ifstream file(kSample, std::ios::binary);
      std::ofstream(pipe, std::ios::binary) << file.rdbuf();
    });
    CHECK(from_pipe({"import", pipe}).status == 0);
    writer.join();
    CHECK(from_file.out({"log", "--json", "--all"}) == from_pipe.out({"log", "--json", "--all"}));
  }

  TEST_CASE("of a folder HEAD goes to the session that was written last") {
    Program spoor;
    const std::string folder = spoor.folder.path + "/sessions";
    std::filesystem::create_directory(folder);
    for (const auto& [name, day] : {std::pair{"a", "03"}, std::pair{"b", "09"}, {"c", "01"}}) {
      const std::string session = std::string(8, *name) + "-0000-4000-8000-000000000000";
      std::ofstream(folder + "/" + name + ".jsonl")
          << R"({"parentUuid":null,"sessionId":")" << session << R"(","type":"user","uuid":"u)"
          << name << R"(","timestamp":"2026-02-)" << day
          << R"(T10:00:00Z","message":{"role":"user","content":"Hello"}})"
          << "\n";
    }
    CHECK(holds(spoor.out({"import", folder}), "HEAD: on claude-code/bbbbbbbb\n"));
  }

  TEST_CASE("a wrong file fails, and the others are imported all the same") {
    Program spoor;
    const std::string wrong = spoor.folder.path + "/wrong.jsonl";
    std::ofstream(wrong) << "no session\n";
    const auto answer = spoor({"import", wrong, kSample, spoor.folder.path + "/nosuch"});
    CHECK(answer.status == 1);
    CHECK(holds(answer.err, "wrong.jsonl"));
    CHECK(holds(answer.err, "nosuch"));
    CHECK(holds(answer.out, "1 file read"));
  }

  TEST_CASE("the document of import --json") {
    Program spoor;
    const std::string document = spoor.out({"import", kSample, "--json"});
    const auto parsed = spoor::json::parse(document);
    REQUIRE(parsed);
    std::string names;
    for (const spoor::json::Member member : parsed.value().root().members()) {
      names += member.key.text() + " ";
    }
    CHECK(
        names ==
        "files bytes records turn_records turns kept duplicates unknown attached repeated_facts "
        "odd_blocks new_turns new_notes met_turns erased unreadable torn oddities missing_parents "
        "passed_over passed_over_files remarks "
        "refs archives errors head_moved_to older_rules ");
  }

  TEST_CASE("what was erased does not come back with another import, which says so") {
    Program spoor;
    const std::string session = spoor.folder.path + "/session.jsonl";
    const std::string secret = "the code of the safe is 7-19-33";
    std::ofstream(session)
        << R"({"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":)"
        << R"({"role":"user","content":")" << secret << R"("}})" << '\n'
        << R"({"type":"user","uuid":"b","parentUuid":"a","sessionId":"s","message":)"
        << R"({"role":"user","content":"go on"}})" << '\n';
    REQUIRE(spoor({"import", session}).status == 0);
    REQUIRE(spoor({"store", "erase", "HEAD~1", "--reason", "a slip", "--yes"}).status == 0);
    CHECK(spoor.out({"compile"}).find("[erased: a slip]") != std::string::npos);
    spoor({"import", session});  // The same commits: nothing is written.
    // A copy of the session under another name has other commits, with the same text.
    std::string other;
    {
      std::ifstream file(session);
      other.assign(std::istreambuf_iterator<char>(file), {});
    }
    for (std::size_t at = 0; (at = other.find("\"s\"", at)) != std::string::npos;) {
      other.replace(at, 3, "\"another\"");
    }
    std::ofstream(session) << other;
    const auto again = spoor({"import", session});
    CHECK(again.status == 0);
    CHECK(again.out.find("contents that were erased here, left out") != std::string::npos);
    CHECK(spoor.out({"log", "--all"}).find("7-19-33") == std::string::npos);
    CHECK(spoor.out({"compile", "claude-code/another"}).find("[erased: a slip]") !=
          std::string::npos);
    CHECK(spoor({"store", "fsck"}).status == 0);
  }

  TEST_CASE("fsck finds an imported store sound, and says what it counted") {
    Program spoor;
    spoor({"import", kSample});
    CHECK(spoor({"store", "fsck"}).status == 0);
    const std::string document = spoor.out({"store", "fsck", "--json"});
    const auto parsed = spoor::json::parse(document);
    REQUIRE(parsed);
    std::string names;
    for (const spoor::json::Member member : parsed.value().root().members()) {
      names += member.key.text() + " ";
    }
    CHECK(names ==
          "sound objects bytes operations refs orphans unreachable newest_operation absent remarks "
          "problem_count problems older_rules ");
  }
}
