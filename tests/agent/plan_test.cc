#include <doctest/doctest.h>

#include "agent/dispatch.h"
#include "tests/agent/stage.h"
#include "tests/support/holds.h"

namespace spoor::agent {
namespace {

using spoor::testing::holds;
using testing::ListModel;
using testing::must;
using testing::Stage;
using testing::step;

// Ends a process: nothing after it happens.
struct Killed {};

// A stage with tools that note what they were given.
struct PlanStage : Stage {
  std::vector<std::string> made;

  PlanStage() {
    options.rationale = false;
    add("look", [this](std::string_view arguments) {
      made.push_back("look " + std::string(arguments));
      return gave_json(R"({"name":"parse.cc","lines":[3,7]})");
    });
    add("send", [this](std::string_view arguments) {
      made.push_back("send " + std::string(arguments));
      return gave("sent");
    });
    add("fail", [this](std::string_view) {
      made.emplace_back("fail");
      return failed("no such thing");
    });
  }

  PlanResult plan(ListModel& model) {
    return must(plan_and_execute("g", {&model, "m", {}, {}}, session, options));
  }

  std::vector<record::Divergence> replayed(ListModel& model, const PlanResult& result) {
    return must(replay(result.run, {&model, "m", {}, {}}, session, options)).divergences;
  }
};

}  // namespace

TEST_SUITE("agent/plan") {
  TEST_CASE("a step is called with what an earlier step gave, and the record shows that call") {
    PlanStage stage;
    ListModel model({step(R"({"plan":[{"action":"look"},
        {"action":"send","action_input":{"to":"$1.output.name","text":"line $1.output.lines.1"}},
        {"action":"finish","final_answer":"told $1.output.name"}]})")});
    const PlanResult result = stage.plan(model);
    CHECK(stage.made.at(1) == R"(send {"text":"line 7","to":"parse.cc"})");
    CHECK(result.answer == "told parse.cc");
    CHECK(result.steps.at(1).action_input == R"({"text":"line 7","to":"parse.cc"})");
    const auto begun = stage.decisions("step-started");
    CHECK_FALSE(begun.at(0).fields.tool_calls);
    CHECK(begun.at(1).fields.tool_calls->front().arguments ==
          R"({"text":"line 7","to":"parse.cc"})");
    CHECK(stage.replayed(model, result).empty());
  }

  TEST_CASE("a reference is resolved before the call is checked and gated") {
    struct Watch final : Gate {
      std::string seen;
      Verdict before(const Tool&, std::string_view arguments) override {
        seen = arguments;
        return {};
      }
    };
    Watch watch;
    Stage stage;
    stage.add("count", [](std::string_view) { return gave_json("41"); });
    stage.add(
        "take", [](std::string_view) { return gave("taken"); },
        R"({"type":"object","properties":{"n":{"type":"integer"}}})");
    stage.options.gate = &watch;
    stage.options.rationale = false;
    ListModel model({step(R"({"plan":[{"action":"count"},
        {"action":"take","action_input":{"n":"$1.output"}},
        {"action":"finish","final_answer":"done"}]})")});
    const auto result =
        must(plan_and_execute("g", {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(result.answer == "done");
    CHECK(watch.seen == R"({"n":41})");
  }

  TEST_CASE("a reference to an unknown or later step is a refused call, and the model is told") {
    PlanStage stage;
    ListModel model({step(R"({"plan":[{"action":"send","action_input":{"to":"$2.output"}},
        {"action":"look"},{"action":"finish","final_answer":"x"}]})"),
                     step(R"({"plan":[{"action":"finish","final_answer":"ok"}]})")});
    const PlanResult result = stage.plan(model);
    CHECK(stage.made.empty());
    CHECK(result.answer == "ok");
    CHECK(holds(model.requests.at(1), "'$2.output' names no earlier step"));
    for (const auto& turn : stage.turns()) {
      if (turn.facts.text("mark") == "observation") CHECK(turn.facts.text("refused_by") == "tools");
    }
  }

  TEST_CASE("a plan without an answer is answered from what its steps gave") {
    PlanStage stage;
    ListModel model({step(R"({"plan":[{"action":"look"},{"action":"finish"}]})"),
                     llm::say("It is in parse.cc.")});
    const PlanResult result = stage.plan(model);
    CHECK(result.stopped == Stopped::goal_achieved);
    CHECK(result.answer == "It is in parse.cc.");
    CHECK(holds(model.requests.at(1), "parse.cc"));
    CHECK(stage.turns().at(stage.turns().size() - 2).facts.text("purpose") == "answer");
    CHECK(stage.replayed(model, result).empty());
  }

  TEST_CASE("with synthesize the answer of the plan is not taken, if a step looked") {
    for (const bool synthesizes : {true, false}) {
      PlanStage stage;
      stage.options.synthesize = synthesizes;
      ListModel model({step(R"({"plan":[{"action":"look"},
          {"action":"finish","final_answer":"a guess"}]})"),
                       llm::say("seen")});
      CHECK(stage.plan(model).answer == (synthesizes ? "seen" : "a guess"));
      ListModel idle({step(R"({"plan":[{"action":"finish","final_answer":"4"}]})")});
      CHECK(stage.plan(idle).answer == "4");
    }
  }

  TEST_CASE("an answer written as JSON once more is read, an empty one is asked for again") {
    PlanStage stage;
    ListModel model({step(R"({"plan":[{"action":"look"},{"action":"finish"}]})"), llm::say(""),
                     step(R"({"action":"finish","final_answer":"seven"})")});
    CHECK(stage.plan(model).answer == "seven");
    ListModel silent(
        {step(R"({"plan":[{"action":"look"},{"action":"finish"}]})"), llm::say(""), llm::say("")});
    const PlanResult result = stage.plan(silent);
    CHECK(result.stopped == Stopped::error);
    CHECK(result.by == "malformed");
  }

  TEST_CASE("a new plan is told what is done, and may refer to it") {
    PlanStage stage;
    ListModel model({step(R"({"plan":[{"action":"look"},{"action":"fail"},{"action":"finish"}]})"),
                     step(R"({"plan":[{"action":"send","action_input":{"to":"$1.output.name"}},
        {"action":"finish","final_answer":"$2.output"}]})")});
    const PlanResult result = stage.plan(model);
    CHECK(result.answer == "sent");
    CHECK(stage.made == std::vector<std::string>{"look {}", "fail", R"(send {"to":"parse.cc"})"});
    CHECK(holds(model.requests.at(1), "1. look {} gave"));
    CHECK(holds(model.requests.at(1), "Its first step has the number 2"));
    CHECK(stage.replayed(model, result).empty());
  }

  TEST_CASE("a new plan that begins with what is done does not do it again unless asked to") {
    for (const bool again : {false, true}) {
      PlanStage stage;
      ListModel model(
          {step(R"({"plan":[{"action":"send"},{"action":"look"},{"action":"fail"},
              {"action":"finish"}]})"),
           step(std::string(R"({"plan":[{"action":"send")") + (again ? R"(,"again":true)" : "") +
                R"(},{"action":"look"},{"action":"send","action_input":{"to":"$2.output.name"}},
              {"action":"finish","final_answer":"done"}]})")});
      const PlanResult result = stage.plan(model);
      CHECK(result.answer == "done");
      CHECK(stage.made.size() == (again ? 6 : 4));
      CHECK(stage.made.back() == R"(send {"to":"parse.cc"})");
      CHECK(stage.replayed(model, result).empty());
    }
  }

  TEST_CASE("a kill in a step re-enters the plan there: nothing twice, and no new plan") {
    for (const bool again : {false, true}) {
      PlanStage stage;
      stage.options.max_replans = 0;
      ListModel model({step(R"({"plan":[{"action":"look"},
          {"action":"send","action_input":{"n":1}},{"action":"send","action_input":{"n":2}},
          {"action":"finish","final_answer":"done"}]})")});
      const llm::Candidate llm{&model, "m", {}, {}};
      std::string id;
      stage.options.on_event = [&](const RunEvent& event) {
        id = event.run.empty() ? id : std::string(event.run);
        const bool is_second = event.kind == RunEvent::Kind::calling && event.tool == "send";
        if (is_second && stage.made.size() == 1) {
          stage.made.emplace_back("under way");
          throw Killed{};
        }
      };
      CHECK_THROWS_AS(stage.plan(model), const Killed&);
      const auto result = must(resume(id, llm, stage.session, stage.options, {.again = again}));
      CHECK(result.stopped == Stopped::goal_achieved);
      CHECK(result.answer == "done");
      CHECK(model.requests.size() == 1);
      CHECK(stage.decisions("replan").empty());
      std::vector<std::string> made = {"look {}", "under way", R"(send {"n":1})",
                                       R"(send {"n":2})"};
      if (!again) made.erase(made.begin() + 2);
      CHECK(stage.made == made);
      CHECK(stage.replayed(model, result).empty());
    }
  }

  TEST_CASE("the result of a step that was killed is not known to later ones") {
    PlanStage stage;
    ListModel model({step(R"({"plan":[{"action":"send"},
        {"action":"send","action_input":{"to":"$1.output"}},{"action":"finish"}]})"),
                     step(R"({"plan":[{"action":"finish","final_answer":"told"}]})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    std::string id;
    bool is_killed = false;
    stage.options.on_event = [&](const RunEvent& event) {
      id = event.run.empty() ? id : std::string(event.run);
      if (event.kind == RunEvent::Kind::calling && !std::exchange(is_killed, true)) throw Killed{};
    };
    CHECK_THROWS_AS(stage.plan(model), const Killed&);
    const auto result = must(resume(id, llm, stage.session, stage.options, {}));
    CHECK(result.answer == "told");
    CHECK(stage.made.empty());
    CHECK(holds(model.requests.at(1), "the result of step 1 is not known"));
  }

  TEST_CASE("a tool that only reads is asked again after a kill") {
    for (const Strategy strategy : {Strategy::plan_and_execute, Strategy::react}) {
      Stage stage;
      stage.options.rationale = false;
      stage.options.calling = Calling::json;
      int reads = 0;
      Tool tool{.id = "read", .description = "reads"};
      tool.read_only = true;
      tool.run = [&](std::string_view, const ToolContext&) { return ++reads, gave("text"); };
      stage.add(std::move(tool));
      ListModel model(
          strategy == Strategy::react
              ? std::vector<llm::Reply>{step(R"({"action":"read"})"),
                                        step(R"({"action":"finish","final_answer":"done"})")}
              : std::vector<llm::Reply>{step(
                    R"({"plan":[{"action":"read"},{"action":"finish","final_answer":"done"}]})")});
      const llm::Candidate llm{&model, "m", {}, {}};
      std::string id;
      bool is_killed = false;
      stage.options.on_event = [&](const RunEvent& event) {
        id = event.run.empty() ? id : std::string(event.run);
        if (event.kind == RunEvent::Kind::calling && !std::exchange(is_killed, true)) {
          throw Killed{};
        }
      };
      CHECK_THROWS_AS(run(strategy, "g", llm, stage.session, stage.options).value(), const Killed&);
      const auto result = must(resume(id, llm, stage.session, stage.options, {}));
      CHECK(result.steps.at(0).observation == R"("text")");
      CHECK(reads == 1);
    }
  }

  TEST_CASE("a reference stands for a tool's data, and not for what was added for the model") {
    PlanStage stage;
    Tool tool;
    tool.id = "numbered";
    tool.description = "for a test";
    tool.run = [](std::string_view, const ToolContext&) { return gave("1: {\"n\":5}"); };
    tool.data_of = [](std::string_view text) { return std::string(text.substr(3)); };
    stage.Stage::add(std::move(tool));
    ListModel model({step(R"({"plan":[{"action":"numbered"},
        {"action":"send","action_input":{"n":"$1.output.n","all":"got $1.output"}},
        {"action":"finish","final_answer":"x"}]})")});
    stage.plan(model);
    CHECK(stage.made.at(0) == R"(send {"all":"got {\"n\":5}","n":5})");
  }

  TEST_CASE("a run of an earlier version is asked as it was then") {
    PlanStage stage;
    stage.options.planner_version = 1;
    ListModel model({step(R"({"plan":[{"action":"send","action_input":{"to":"$1.output"}},
        {"action":"fail"},{"action":"finish"}]})"),
                     step(R"({"plan":[{"action":"finish"}]})")});
    const PlanResult result = stage.plan(model);
    CHECK_FALSE(result.answer);
    CHECK(stage.made.front() == R"(send {"to":"$1.output"})");
    CHECK_FALSE(holds(model.requests.at(0), "$1.output\\\""));
    RunOptions recorded = stage.options;
    recorded.planner_version = kPlannerVersion;
    const auto recording = must(record::read_recording(*stage.repository, result.run));
    CHECK_FALSE(holds(recording.options, "planner_version"));
    REQUIRE(read_options(recording.options, recorded));
    CHECK(recorded.planner_version == 1);
    const auto replayed =
        must(replay(result.run, {&model, "m", {}, {}}, stage.session, recorded)).divergences;
    CHECK(replayed.empty());
  }
}

}  // namespace spoor::agent
