#include <doctest/doctest.h>

#include "tests/agent/stage.h"

namespace spoor::agent::testing {
namespace {

// Refuses one tool's calls, and keeps what it is asked and told.
class OneGate final : public Gate {
 public:
  Verdict before(const Tool& tool, std::string_view) override {
    seen += "before " + tool.id + "\n";
    if (tool.id != "write") return {};
    return {.allows = false, .why = "refused by check a.b: no", .rule = "a.b"};
  }
  void after(std::string_view tool, std::string_view, const ToolResult& result) override {
    seen += "after " + std::string(tool) + (result.is_error ? " failed\n" : "\n");
  }
  Result<void> refused(const compile::Oid& commit) override {
    commits.push_back(commit);
    return {};
  }

  std::string seen;
  std::vector<compile::Oid> commits;
};

}  // namespace

TEST_SUITE("agent/gate") {
  TEST_CASE("a refused call does not run: an observation, a decision, and the run goes on") {
    Stage stage;
    int writes = 0;
    stage.add("write", [&](std::string_view) {
      ++writes;
      return gave("wrote");
    });
    stage.add("look", [](std::string_view) { return gave("seen"); });
    OneGate gate;
    stage.options.gate = &gate;
    ListModel model({calls({{"write", "{}"}, {"look", "{}"}}), llm::say("done")});
    const PlanResult result =
        must(run(Strategy::react, "go", {&model, "m"}, stage.session, stage.options));
    CHECK(writes == 0);
    CHECK(result.answer == "done");
    CHECK(gate.seen == "before write\nbefore look\nafter look\n");

    const auto blocked = stage.decisions("blocked");
    REQUIRE(blocked.size() == 1);
    CHECK(blocked.front().text == "refused by check a.b: no");
    CHECK(blocked.front().facts.text("rule") == "a.b");
    CHECK(blocked.front().facts.text("tool") == "write");
    REQUIRE(gate.commits.size() == 1);
    const auto observed = must(graph::read_turn(stage.repository->reader(), gate.commits[0]));
    CHECK(observed.type == compile::Type::tool);
    CHECK(observed.fields.call_id == "c1");
    CHECK(observed.text == "error: refused by check a.b: no");
    CHECK(observed.facts.text("refused_by") == "gate");
    CHECK(observed.facts.text("rule") == "a.b");
    REQUIRE(result.steps.size() == 3);                 // With the answer.
    CHECK(result.steps[0].commit == gate.commits[0]);  // And not of the decision beside it.
  }

  TEST_CASE("a run that goes on takes refusals as they were, and tells the gate what happened") {
    Stage stage;
    stage.add("write", [](std::string_view) { return gave("wrote"); });
    stage.add("look", [](std::string_view) { return failed("nothing there"); });
    OneGate first;
    stage.options.gate = &first;
    stage.options.max_steps = 1;
    ListModel model({calls({{"write", "{}"}, {"look", "{}"}}), llm::say("done")});
    const PlanResult stopped =
        must(run(Strategy::react, "go", {&model, "m"}, stage.session, stage.options));
    REQUIRE(stopped.stopped == Stopped::max_steps);

    OneGate second;
    stage.options.gate = &second;
    stage.options.max_steps = 5;
    const PlanResult ended =
        must(resume(stopped.run, {&model, "m"}, stage.session, stage.options, {}));
    CHECK(ended.answer == "done");
    CHECK(second.seen == "after look failed\n");
    CHECK(stage.decisions("blocked").size() == 1);
    const ReplayResult replayed =
        must(replay(stopped.run, {&model, "m"}, stage.session, stage.options));
    CHECK(replayed.is_whole);
    CHECK(replayed.divergences.empty());
  }
}

}  // namespace spoor::agent::testing
