// Runs in a store, told by the program. The runs are written by tests/support/recorded_run.h.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>

#include "base/json/reader.h"
#include "graph/repository.h"
#include "tests/cli/program.h"
#include "tests/support/recorded_run.h"

using spoor::test::Program;
using spoor::testing::RecordedRun;
namespace json = spoor::json;

namespace {

using spoor::graph::Repository;

// Opens the program's store beside it, as another program would.
void in_store(Program& spoor, const std::function<void(Repository&)>& body) {
  spoor({"init"});
  auto clock = std::make_shared<spoor::cli::FixedClock>(spoor.clock.now());
  auto opened = Repository::open(spoor.folder.path + "/.spoor", {.author = "ada", .clock = clock});
  REQUIRE(opened);
  body(*opened.value());
}

std::string record(Repository& repository, const std::string& goal, bool has_failed) {
  RecordedRun run(repository, "main", goal);
  run.at_step(1);
  run.calls({{"c1", "run_command", "{}"}}, R"({"1":{"why":"look first"}})",
            {{"cost_usd", "0.004"}, {"tokens", R"({"input":100,"output":20})"}});
  run.result("c1", 1, "run_command", has_failed ? "2 failed" : "all passed", false,
             {{"exit_code", has_failed ? "1" : "0"}});
  run.at_step(2);
  run.end("goal_achieved", "final_answer", "Done.");
  return run.id();
}

std::string members(const std::string& document, std::string_view list = {}) {
  const auto parsed = json::parse(document);
  REQUIRE(parsed);
  json::Value value = parsed->root();
  if (!list.empty()) {
    for (const json::Value element : parsed->root().find(list).elements()) value = element;
  }
  std::string names;
  for (const json::Member member : value.members()) names += member.key.text() + " ";
  return names;
}

}  // namespace

TEST_SUITE("cli/debrief") {
  TEST_CASE("the newest run is told, another by its id, and any of its commits stands for it") {
    Program spoor;
    std::string first, second;
    in_store(spoor, [&](Repository& repository) {
      first = record(repository, "one", false);
      second = record(repository, "two", true);
    });
    const std::string latest = spoor.out({"debrief"});
    CHECK(latest.starts_with("Debrief: run " + second));
    CHECK(latest.find("└─ Verdict: success | 120 tok | $0.004 | 0 ms | 1 of 1 call explained\n") !=
          std::string::npos);
    CHECK(latest.find("│  • it claims success, but its last check, run_command in step 1, ended "
                      "with exit code 1\n") != std::string::npos);
    CHECK(spoor.out({"debrief", "latest"}) == latest);
    CHECK(spoor.out({"debrief", "main"}) == latest);
    CHECK(spoor.out({"debrief", second.substr(0, 8)}) == latest);
    CHECK(spoor.out({"debrief", first}).starts_with("Debrief: run " + first));
    CHECK(spoor.out({"debrief", first}).find("Contradicted") == std::string::npos);
  }

  TEST_CASE("two runs are compared") {
    Program spoor;
    std::string first, second;
    in_store(spoor, [&](Repository& repository) {
      first = record(repository, "same", false);
      second = record(repository, "same", true);
    });
    const std::string text = spoor.out({"debrief", first, second});
    CHECK(text.find("├─ Decisions: 1 in both (1 with another outcome), 0 only <, 0 only >\n") !=
          std::string::npos);
    CHECK(members(spoor.out({"debrief", first, second, "--json"})) ==
          "added after assumptions_added assumptions_removed before other_outcomes removed same "
          "steps ");
    CHECK(spoor({"debrief", first, second, "--html"}).status == 2);
  }

  TEST_CASE("runs are listed, newest first") {
    Program spoor;
    std::string first, second;
    in_store(spoor, [&](Repository& repository) {
      first = record(repository, "one", false);
      second = RecordedRun(repository, "side", "two\nlines").id();
    });
    const std::string lines = spoor.out({"runs"});
    CHECK(lines == second.substr(0, 8) +
                       "  2030-03-17T17:46:41Z  unfinished     0 steps   two lines\n" +
                       first.substr(0, 8) +
                       "  2030-03-17T17:46:41Z  success        2 steps   $0.004  one\n");
    CHECK(spoor.out({"runs", "-n", "1"}) == lines.substr(0, lines.find('\n') + 1));
    const char* kMembers =
        "run goal status began planner session model caller_run agent steps answers tokens "
        "cost_usd "
        "elapsed_ms commits root head totals ";
    CHECK(members(spoor.out({"runs", "--json"}), "runs") == kMembers);
    const std::string streamed = spoor.out({"runs", "--json", "--stream"});
    CHECK(members(streamed.substr(0, streamed.find('\n'))) == kMembers);
  }

  TEST_CASE("the members of the JSON document") {
    Program spoor;
    in_store(spoor, [&](Repository& repository) { record(repository, "one", false); });
    const std::string document = spoor.out({"debrief", "--json"});
    CHECK(
        members(document) ==
        "agents alternatives answers assumptions began calibration commits contradictions cost_usd "
        "coverage curator elapsed_ms goal head is_run last last_check last_words left_out model "
        "notes origin path planner principal rationale reactions root run_id session skipped steps "
        "termination tokens tools totals unknown_refs verdict ");
    CHECK(members(document, "path") ==
          "action cost_usd decision from hash outcome rationale reason_source step target time to "
          "tokens tool unknown_refs ");
    CHECK(members(document, "rationale") == "decision iteration rationale source tool_name ");
  }

  TEST_CASE("a history without runs is told by its calls") {
    Program spoor;
    spoor.make_history();
    const std::string text = spoor.out({"debrief", "HEAD"});
    CHECK(text.find("├─ Goal: list the files\n") != std::string::npos);
    CHECK(
        text.find(
            "├─ Why this path\n│  • step 1 chose ls: \"ls will do\" (thinking)  → ok, a.txt  [") !=
        std::string::npos);
    CHECK(text.find("├─ Last words: two files: a.txt and b.txt\n") != std::string::npos);
    CHECK(text.find("| 1 of 1 call explained\n") != std::string::npos);
    CHECK(spoor.out({"debrief"}) == text);  // There is no run.
  }

  TEST_CASE("without a run and a history there is nothing to tell of") {
    Program spoor;
    REQUIRE(spoor({"init"}).status == 0);
    for (const char* command : {"debrief", "report", "events", "audit"}) {
      const auto none = spoor({command});
      CHECK(none.status == 1);
      CHECK(none.err ==
            "error: no run yet, and HEAD has no commit\n"
            "hint: start one with 'spoor run GOAL', or list branches with 'spoor branch'\n");
    }
  }

  TEST_CASE("what names nothing is an error with a hint") {
    Program spoor;
    std::string first;
    in_store(spoor, [&](Repository& repository) { first = record(repository, "one", false); });
    const auto unknown = spoor({"debrief", "nosuch"});
    CHECK(unknown.status == 1);
    CHECK(unknown.err ==
          "error: no run or commit 'nosuch'\nhint: list runs with 'spoor runs', "
          "branches with 'spoor branch'\n");
    CHECK(spoor({"debrief", first, "--trace", "x"}).status == 2);
    CHECK(spoor({"debrief", "--json", "--html"}).status == 2);
    CHECK(spoor({"debrief", "--trace", "/nosuch/file"}).status == 1);
  }

  TEST_CASE("a trace comes from a file or from standard input, in every form") {
    Program spoor;
    const std::string trace =
        "{\"kind\":\"run-started\",\"runId\":\"r\",\"task\":\"t\\u001b[31m\"}\n{cut";
    std::ofstream(spoor.folder.path + "/trace.jsonl") << trace;
    const std::string path = spoor.folder.path + "/trace.jsonl";
    const std::string classic =
        "Debrief: run r\n├─ Goal: t\\x1b[31m\n├─ Termination: unknown\n└─ Verdict: (no "
        "run-completed event found)\n";
    CHECK(spoor.out({"debrief", "--trace", path, "--format", "classic"}) == classic);
    CHECK(spoor.out({"debrief", "--trace", "-", "--format", "classic"}, trace) == classic);
    CHECK(spoor.out({"debrief", "--trace", path}).find("| 1 line of the trace skipped\n") !=
          std::string::npos);
    CHECK(spoor.out({"debrief", "--trace", path, "--markdown"}).find("## Decision Rationale") !=
          std::string::npos);
    CHECK(spoor.out({"debrief", "--trace", path, "--html"}).starts_with("<!DOCTYPE html>"));
    CHECK(spoor.out({"debrief", "--trace", path, "--json"}).find("\"skipped\": 1") !=
          std::string::npos);
  }

  TEST_CASE("ids of runs are completed, with their goals") {
    Program spoor;
    std::string id;
    in_store(spoor, [&](Repository& repository) { id = record(repository, "one", false); });
    const std::string offered = spoor.out({"__complete", "debrief", ""});
    CHECK(offered.starts_with("latest\tthe newest run\n" + id.substr(0, 8) + "\tone\n"));
    CHECK(offered.find("\nmain\tbranch\n") != std::string::npos);
  }
}
