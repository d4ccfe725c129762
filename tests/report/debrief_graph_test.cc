#include <doctest/doctest.h>

#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"
#include "tests/support/ports.h"
#include "tests/support/recorded_run.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::report::debrief;
using graph::Repository;
using testing::RecordedRun;

namespace {

struct Scene {
  std::shared_ptr<testing::ManualClock> clock = std::make_shared<testing::ManualClock>();
  std::unique_ptr<Repository> repository = Repository::in_memory({.author = "ada", .clock = clock});
};

Debrief read(Repository& repository, const RecordedRun& run, GraphOptions options = {}) {
  return debrief_of(repository, find_run(repository, run.id()).value(), options).value();
}

const PathEntry& step(const Debrief& debrief, std::size_t index) {
  return debrief.path.head().at(index);
}

// A native run with something of everything; its last check fails.
void play(RecordedRun& run, testing::ManualClock& clock) {
  run.at_step(1);
  run.calls({{"c1", "list", "{}"}, {"c2", "notes_search", "{}"}},
            R"({"1":{"why":"look around","refs":["goal","obs:9"],"confidence":0.9}})",
            {{"tokens", R"({"input":100,"cached":20,"output":30})"}, {"cost_usd", "0.004"}});
  run.decision("rationale-missing", "", "", {{"call", "2"}, {"tool", R"("notes.search")"}});
  run.decision("unknown-ref", "obs:9", "", {{"call", "1"}});
  clock.advance(2);
  run.result("c2", 2, "notes_search", "error: no index", true, {{"tool", R"("notes.search")"}});
  run.result("c1", 1, "list", "\n  3 files\nb\n");
  run.stranger("a word from the side");
  run.at_step(2);
  run.decision("assumption", "amounts are net", R"({"why":"no tax column","confidence":0.6})");
  run.decision("curator-dropped", "3 turns: a..b", R"({"why":"over the budget"})");
  run.decision("strategy-switch", "stuck", "", {{"from", R"("react")"}, {"to", R"("plan")"}});
  run.decision("reactive-early-stop", "nothing new");
  run.decision("alternatives", "adder",
               R"({"why":"w","alternatives":[{"option":"ask","rejectedBecause":"nobody there"}]})");
  run.decision("parked", "'run_command' waits for approval");
  run.user("critique", "[reflexion critique #1] try harder");
  run.calls({{"c3", "run_command", "{}"}}, R"({"1":{"why":"check it"}})",
            {{"tokens", R"({"input":1,"output":1})"}});
  run.result("c3", 1, "run_command", "1 failed", false,
             {{"exit_code", "2"}, {"artifact", R"("command")"}, {"cost_usd", "0.5"}});
  run.at_step(3);
  run.calls({}, "", {{"cost_usd", "0.001"}});
  run.end("goal_achieved", "final_answer", "All is well.");
}

}  // namespace

TEST_SUITE("report/debrief/graph_source") {
  TEST_CASE("a run is read back from its commits") {
    Scene scene;
    RecordedRun run(*scene.repository, "main", "sum it up");
    play(run, *scene.clock);
    run.critic("fine", {{"cost_usd", "0.01"}, {"tokens", R"({"input":5,"output":5})"}});
    const Debrief debrief = read(*scene.repository, run);

    CHECK(debrief.run_id == run.id());
    CHECK(debrief.goal == "sum it up");
    CHECK(debrief.planner == "react");
    CHECK(debrief.principal == "ada");
    CHECK(debrief.session == "main");
    CHECK(debrief.model == "m-1");
    CHECK(debrief.root == run.root());
    CHECK(debrief.head == run.head());
    CHECK(debrief.commits == 20);  // Not the stranger's; the critic's one.

    REQUIRE(debrief.path.total() == 4);
    CHECK(step(debrief, 0).tool == "list");
    CHECK(step(debrief, 0).rationale->why == "look around");
    CHECK(step(debrief, 0).unknown_refs == std::vector<std::string>{"obs:9"});
    CHECK(step(debrief, 0).outcome->said == "3 files");
    CHECK(step(debrief, 0).cost.tokens() == 150);
    CHECK(step(debrief, 1).tool == "notes.search");
    CHECK_FALSE(step(debrief, 1).rationale);
    CHECK(step(debrief, 1).outcome->is_error);
    CHECK(step(debrief, 2).action == "strategy:react→plan");
    CHECK(step(debrief, 3).outcome->exit_code == 2);
    CHECK(step(debrief, 3).place.step == 2);

    CHECK(debrief.assumptions.head().at(0).rationale->confidence == 0.6);
    CHECK(debrief.curator.head().at(0).target == "3 turns: a..b");
    CHECK(debrief.reactions.head().at(0).action == "early-stop");
    CHECK(debrief.alternatives.head().at(0).rejected.at(0).option == "ask");
    CHECK(debrief.notes.head().at(0).word == "parked");
    CHECK(debrief.notes.head().at(1).word == "critique");
    CHECK(debrief.calls == 3);
    CHECK(debrief.explained == 2);
    CHECK(debrief.reported_missing == 1);
    CHECK(debrief.answers == 4);
    CHECK(llm::dollars(*debrief.cost.money) == "0.515");
    CHECK(debrief.verdict->status == "success");
    CHECK(debrief.verdict->tokens == 162);
    CHECK(debrief.verdict->answer == "All is well.");
    CHECK(debrief.verdict->elapsed_ms == 2'000);
    CHECK(debrief.termination.by == "final_answer");
    CHECK(debrief.contradictions.size() == 1);
  }

  TEST_CASE("calls in text and steps of a plan have the reasons of their answer") {
    Scene scene;
    RecordedRun run(*scene.repository, "main", "g", "plan_and_execute");
    run.at_step(1);
    run.says("[plan]", "", R"({"1":{"why":"first"},"2":{"why":"second"}})",
             {{"purpose", R"("plan")"}});
    run.observation(1, "read", "text");
    run.at_step(2);
    run.observation(2, "write", "disk full", true);
    run.decision("replan", "disk full", "", {{"n", "1"}});
    run.at_step(3);
    run.says("{}", "read", R"({"1":{"why":"third"}})");
    run.observation(1, "read", "more");
    run.says("{}", "finish", R"({"1":{"why":"not a call"}})");
    const Debrief debrief = read(*scene.repository, run);
    REQUIRE(debrief.path.total() == 3);
    CHECK(step(debrief, 0).rationale->why == "first");
    CHECK(step(debrief, 0).outcome->said == "text");
    CHECK(step(debrief, 1).rationale->why == "second");
    CHECK(step(debrief, 1).place.step == 2);
    CHECK(step(debrief, 1).outcome->is_error);
    CHECK(step(debrief, 1).outcome->said == "error: disk full");
    CHECK(step(debrief, 2).rationale->why == "third");
    CHECK(step(debrief, 2).outcome->said == "more");
    CHECK(debrief.calls == 3);
    CHECK_FALSE(debrief.verdict);
  }

  TEST_CASE("a limit that was reached is told with what was spent") {
    Scene scene;
    RecordedRun run(*scene.repository, "main", "g");
    run.end("max_cost", "max_cost", "", {{"limit", "0.25"}, {"spent", "0.26"}});
    const Debrief debrief = read(*scene.repository, run);
    CHECK(debrief.verdict->status == "stopped");
    CHECK(debrief.verdict->stopped == "max_cost");
    CHECK(tree_text(debrief).find("├─ Termination: max_cost: spent 0.26 of 0.25\n") !=
          std::string::npos);
  }

  TEST_CASE("an answer that was cut off asks for nothing, and a call that was cut off is told") {
    Scene scene;
    RecordedRun run(*scene.repository, "main", "g");
    run.at_step(1);
    run.calls({{"c1", "list", "{}"}}, "", {{"interrupted", R"("timeout")"}});
    run.calls({{"c2", "list", "{}"}});
    run.result("c2", 1, "list", "error: interrupted, effect unverified", true);
    const Debrief debrief = read(*scene.repository, run);
    REQUIRE(debrief.path.total() == 1);
    CHECK(step(debrief, 0).outcome->is_interrupted);
    CHECK(debrief.answers == 2);
  }

  TEST_CASE("runs on one branch are told apart") {
    Scene scene;
    RecordedRun first(*scene.repository, "main", "one");
    first.says("{}", "a");
    first.end("goal_achieved", "final_answer", "1");
    scene.clock->advance(1);
    RecordedRun second(*scene.repository, "main", "two");
    second.says("{}", "b");
    CHECK(read(*scene.repository, first).path.head().at(0).tool == "a");
    CHECK(read(*scene.repository, second).path.total() == 1);
    CHECK(read(*scene.repository, second).goal == "two");
  }

  TEST_CASE("a long run is read whole, in bounded lists") {
    Scene scene;
    RecordedRun run(*scene.repository, "main", "g");
    for (int i = 1; i <= 3'000; ++i) {
      run.at_step(i);
      run.says("{}", "t", R"({"1":{"why":"w"}})");
      run.observation(1, "t", "r" + std::to_string(i));
    }
    const Debrief debrief = read(*scene.repository, run, {.most = 10});
    CHECK(debrief.calls == 3'000);
    CHECK(debrief.explained == 3'000);
    CHECK(debrief.returned == 3'000);
    CHECK(debrief.path.size() == 10);
    CHECK(debrief.path.head().front().outcome->said == "r1");
    CHECK(debrief.path.tail().back().outcome->said == "r3000");
  }

  TEST_CASE("a summary has the goal, the end and the cost, and reads no texts") {
    Scene scene;
    RecordedRun run(*scene.repository, "main", "sum it up");
    play(run, *scene.clock);
    const Debrief debrief = read(*scene.repository, run, {.summary = true});
    CHECK(debrief.goal == "sum it up");
    CHECK(debrief.verdict->status == "success");
    CHECK(debrief.steps == 3);
    CHECK(llm::dollars(*debrief.cost.money) == "0.505");
  }

  TEST_CASE("the calls of a session are explained by the thinking before them") {
    Scene scene;
    graph::Branch branch = scene.repository->branch("topic");
    branch.user("Mend the test.").value();
    branch.reasoning("I should look.").value();
    compile::Turn first{.type = store::Type::assistant, .text = "I look."};
    first.fields.tool_calls = {{"t1", "Read", "{}"}};
    first.facts.set_text("message_id", "m1");
    first.facts.set_json("usage", R"({"input_tokens":10,"output_tokens":1})");
    branch.commit(first).value();
    compile::Turn more{.type = store::Type::assistant};
    more.fields.tool_calls = {{"t2", "Bash", "{}"}};
    more.facts.set_text("message_id", "m1");
    more.facts.set_text("model", "claude");
    more.facts.set_json("usage", R"({"input_tokens":10,"output_tokens":7})");
    branch.commit(more).value();
    branch.tool("a file", "t1", "").value();
    branch.tool("Exit code 1", "t2", "", true).value();
    branch.user("Go on.").value();
    compile::Turn last{.type = store::Type::assistant, .text = "\nDone.\nReally."};
    last.facts.set_text("finish_reason", "end_turn");
    branch.commit(last).value();

    const Debrief debrief = debrief_of(*scene.repository, branch.tip().value().value()).value();
    CHECK(debrief.goal == "Mend the test.");
    CHECK(debrief.model == "claude");
    REQUIRE(debrief.path.total() == 2);
    CHECK(step(debrief, 0).place.step == 1);
    CHECK(step(debrief, 1).place.step == 1);
    CHECK(step(debrief, 0).outcome->said == "a file");
    CHECK(step(debrief, 1).outcome->is_error);
    CHECK(debrief.calls == 2);
    CHECK(debrief.explained == 2);
    CHECK(step(debrief, 0).rationale->why == "I should look.");
    CHECK(step(debrief, 0).reason_source == trace::Reason::Source::thinking);
    CHECK(debrief.cost.tokens() == 17);
    CHECK(debrief.notes.head().at(0).text == "Go on.");
    CHECK(debrief.termination.by == "end_turn");
    CHECK(debrief.last_words == "Done.");
    CHECK_FALSE(debrief.is_run);
  }

  TEST_CASE("of another agent's session, exit codes and what summaries took are told") {
    Scene scene;
    graph::Branch branch = scene.repository->branch("topic");
    branch.user("Mend the test.").value();
    compile::Turn answer{.type = store::Type::assistant};
    answer.fields.tool_calls = {{"t1", "bash", "{}"}, {"t2", "exec_command", "{}"}};
    const compile::Oid asked = branch.commit(answer).value();
    compile::Turn told{.type = store::Type::tool, .text = "no"};
    told.fields.call_id = "t1";
    told.facts.set_integer("exit_code", 65);
    branch.commit(told).value();
    compile::Turn said{.type = store::Type::tool};
    said.text = "Wall time: 1 seconds\nProcess exited with code 101\nOutput:\nno";
    said.fields.call_id = "t2";
    said.facts.set_text("source", "codex");
    branch.commit(said).value();
    compile::Turn summary{.type = store::Type::summary, .text = "They looked."};
    summary.facts.set_json("usage", R"({"input_tokens":30,"output_tokens":4})");
    const auto compress = [&](graph::Draft& draft) -> spoor::Result<void> {
      TRY(draft.compress("refs/heads/topic", {.from = asked, .to = asked}, summary, {}));
      return {};
    };
    scene.repository->transact("compress", graph::OnConflict::fail, compress).value();
    branch.commit(summary).value();

    const Debrief debrief = debrief_of(*scene.repository, branch.tip().value().value()).value();
    CHECK(step(debrief, 0).outcome->exit_code == 65);
    CHECK(step(debrief, 1).outcome->exit_code == 101);
    CHECK_FALSE(step(debrief, 1).outcome->is_error);
    CHECK(debrief.failed == 2);
    CHECK(debrief.cost.tokens() == 68);
  }
}

TEST_SUITE("agent/runs") {
  TEST_CASE("the newest run is first, by its root's time and then by the log") {
    Scene scene;
    CHECK(list_runs(*scene.repository).value().empty());
    CHECK(find_run(*scene.repository, "latest").error().code == spoor::Error::Code::not_found);
    RecordedRun one(*scene.repository, "a", "1");
    RecordedRun two(*scene.repository, "b", "2");
    RecordedRun three(*scene.repository, "c", "3");
    scene.clock->advance(-10);
    RecordedRun old(*scene.repository, "d", "4");
    std::vector<std::string> ids;
    for (const RunName& run : list_runs(*scene.repository).value()) ids.push_back(run.id);
    CHECK(ids == std::vector{three.id(), two.id(), one.id(), old.id()});
    CHECK(find_run(*scene.repository, "latest").value().id == three.id());
  }

  TEST_CASE("a run is named by a prefix of its id, and known by its commits") {
    Scene scene;
    RecordedRun run(*scene.repository, "main", "g");
    scene.clock->advance(1);
    RecordedRun other(*scene.repository, "main", "h");
    CHECK(find_run(*scene.repository, run.id().substr(0, 8)).value().root == run.root());
    CHECK(find_run(*scene.repository, run.root().hex()).value().root == run.root());
    CHECK(find_run(*scene.repository, run.id() + "xx").error().code ==
          spoor::Error::Code::not_found);
    CHECK(find_run(*scene.repository, run.id().substr(0, 3)).error().code ==
          spoor::Error::Code::not_found);
    CHECK(find_run(*scene.repository, "zzzz").error().hint == "list runs with 'spoor runs'");
    CHECK(run_of(*scene.repository, run.root()).value()->id == run.id());
    CHECK(run_of(*scene.repository, run.head()).value()->id == run.id());
    const auto alone = scene.repository->branch("x").user("hi").value();
    CHECK_FALSE(run_of(*scene.repository, alone).value());
  }
}
