// Runs of the planners themselves, on scripted models, read back.
#include <doctest/doctest.h>

#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"
#include "tests/agent/stage.h"

namespace spoor::agent {

namespace debrief = report::debrief;

namespace {

using debrief::Debrief;
using testing::calls;
using testing::find_it;
using testing::ListModel;
using testing::must;
using testing::Stage;
using testing::step;

Debrief debrief_of(Stage& stage, const std::string& run) {
  return must(debrief::debrief_of(*stage.repository, must(find_run(*stage.repository, run))));
}

}  // namespace

TEST_SUITE("report/debrief/real_runs") {
  TEST_CASE("native calls have their reasons, their own names and what they gave") {
    Stage stage;
    stage.add("notes.search", [](std::string_view) { return gave("2 hits\nmore"); });
    stage.add("look", [](std::string_view) { return failed("too dark"); });
    ListModel model({calls({{"notes_search", "{}"}, {"look", "{}"}},
                           R"(I assume it is a lamp because it is dark. <rationale call="1">{"why":
"notes first","refs":["goal","obs:7"],"confidence":0.9}</rationale>)"),
                     llm::say("It is there.")});
    const PlanResult result = find_it(stage, model);
    const Debrief told = debrief_of(stage, result.run);
    REQUIRE(told.path.total() == 2);
    CHECK(told.path.head()[0].tool == "notes.search");
    CHECK(told.path.head()[0].rationale->why == "notes first");
    CHECK(told.path.head()[0].unknown_refs == std::vector<std::string>{"obs:7"});
    CHECK(told.path.head()[0].outcome->said == "2 hits");
    CHECK_FALSE(told.path.head()[1].rationale);
    CHECK(told.path.head()[1].outcome->is_error);
    CHECK(told.assumptions.total() == 1);
    CHECK(told.reported_missing == 1);
    CHECK(told.verdict->status == "success");
    CHECK(told.verdict->answer == "It is there.");
    CHECK(told.planner == "react");
    CHECK(told.answers == 2);
    CHECK(tree_text(told).find("step 1 chose look, no reason given  → error: too dark") !=
          std::string::npos);
  }

  TEST_CASE("calls in JSON are told like native ones") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("a lamp"); });
    stage.options.calling = Calling::json;
    ListModel model({step(R"({"thought":"t","action":"look","rationale":{"why":"it is dark"}})"),
                     step(R"({"action":"finish","final_answer":"lit"})")});
    const Debrief told = debrief_of(stage, find_it(stage, model).run);
    REQUIRE(told.path.total() == 1);
    CHECK(told.path.head()[0].rationale->why == "it is dark");
    CHECK(told.path.head()[0].outcome->said == "a lamp");
    CHECK(told.verdict->answer == "lit");
  }

  TEST_CASE("steps of a plan have the reasons of the plan that is kept") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("a lamp"); });
    stage.add("walk", [](std::string_view) { return gave("there"); });
    const std::string plan =
        R"({"plan":[{"action":"look","rationale":{"why":"it is dark"}},{"action":"walk"},)"
        R"({"action":"finish","final_answer":"y"}]})";
    SUBCASE("asked for again, and worse") {
      ListModel model({step(plan), llm::say("no plan at all")});
      const Debrief told = debrief_of(stage, find_it(stage, model, Strategy::plan_and_execute).run);
      REQUIRE(told.path.total() == 2);
      CHECK(told.path.head()[0].rationale->why == "it is dark");
      CHECK_FALSE(told.path.head()[1].rationale);
      CHECK(told.path.head()[1].outcome->said == "there");
      CHECK(told.path.head()[1].place.step == 2);
    }
    SUBCASE("asked for again, and other") {
      ListModel model({step(plan), step(R"({"plan":[{"action":"walk"},{"action":"finish"}]})")});
      const Debrief told = debrief_of(stage, find_it(stage, model, Strategy::plan_and_execute).run);
      REQUIRE(told.path.total() == 1);
      CHECK(told.path.head()[0].tool == "walk");
      CHECK_FALSE(told.path.head()[0].rationale);
    }
  }

  TEST_CASE("a run that ran out of steps, and goes on, has ended once") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("a lamp"); });
    stage.options.calling = Calling::json;
    stage.options.max_steps = 1;
    const std::string look = R"({"thought":"t","action":"look","rationale":{"why":"w"}})";
    ListModel model({step(look), step(look), step(R"({"action":"finish","final_answer":"lit"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const PlanResult first = must(react("g", llm, stage.session, stage.options));
    const Debrief stopped = debrief_of(stage, first.run);
    CHECK(stopped.verdict->stopped == "max_steps");
    CHECK(stopped.verdict->status == "stopped");
    CHECK(stopped.termination.limit == "1");
    stage.clock->advance(1'000);
    stage.options.max_steps = 5;
    must(resume(first.run, llm, stage.session, stage.options, {}));
    const Debrief told = debrief_of(stage, first.run);
    CHECK(told.verdict->stopped == "goal_achieved");
    CHECK(told.termination.by == "final_answer");
    CHECK(told.calls == 2);
    CHECK(told.explained == 2);
    CHECK(told.elapsed_ms == 0);
    CHECK(told.notes.head().at(0).word == "resumed");
  }

  TEST_CASE("a critic's words are told, with the answer it sent back, and what it cost") {
    Stage stage;
    stage.options.calling = Calling::json;
    const std::string finish = R"({"action":"finish","final_answer":"x"})";
    ListModel model({step(finish), step(R"({"verdict":"retry","critique":"look again"})"),
                     step(finish), step(R"({"verdict":"accept"})")});
    const PlanResult result = find_it(stage, model, Strategy::reflexion);
    const Debrief told = debrief_of(stage, result.run);
    CHECK(result.critiques.size() == 2);
    CHECK(told.answers == 4);
    REQUIRE(told.notes.total() == 2);
    CHECK(told.notes.head()[0].word == "answer");
    CHECK(told.notes.head()[0].text == "x");
    CHECK(told.notes.head()[1].word == "critique");
    CHECK(told.notes.head()[1].text == "[reflexion critique #1] look again");
  }

  TEST_CASE("a call that waits for a person is told, and then what the person said") {
    Stage stage;
    Tool tool;
    tool.id = "wipe";
    tool.description = "for a test";
    tool.needs_approval = true;
    tool.run = [](std::string_view, const ToolContext&) { return gave("wiped"); };
    stage.add(tool);
    ListModel model({calls({{"wipe", "{}"}}), llm::say("done")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const PlanResult parked = must(react("g", llm, stage.session, stage.options));
    CHECK(tree_text(debrief_of(stage, parked.run)).find("└─ Verdict: waiting |") !=
          std::string::npos);
    must(resume(parked.run, llm, stage.session, stage.options, {.approval = false}));
    const Debrief told = debrief_of(stage, parked.run);
    std::vector<std::string> words;
    told.notes.visit([&](const debrief::Note& note) { words.push_back(note.word); });
    CHECK(words == std::vector<std::string>{"parked", "resumed", "denied"});
    CHECK(told.path.head().at(0).outcome->is_error);
    CHECK(told.verdict->status == "success");
  }
}

}  // namespace spoor::agent
