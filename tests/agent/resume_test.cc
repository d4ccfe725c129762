#include <doctest/doctest.h>

#include "agent/dispatch.h"
#include "agent/record/recording.h"
#include "tests/agent/stage.h"

namespace spoor::agent {
namespace {

using testing::calls;
using testing::ListModel;
using testing::must;
using testing::Stage;
using testing::step;

// Ends a process: nothing after it happens.
struct Killed {};

std::vector<llm::Reply> react_replies() {
  return {step(R"({"thought":"t","action":"count","rationale":{"why":"w"}})"), llm::say("nonsense"),
          step(R"({"action":"count"})"), step(R"({"action":"finish","final_answer":"done"})")};
}

std::vector<llm::Reply> plan_replies() {
  return {step(R"({"plan":[{"action":"count","rationale":"a"},{"action":"count","rationale":"b"},
                   {"action":"finish","final_answer":"done"}]})")};
}

std::vector<llm::Reply> reflexion_replies() {
  return {step(R"({"action":"count"})"),
          step(R"({"action":"finish","final_answer":"bad"})"),
          step(R"({"verdict":"retry","critique":"count again"})"),
          step(R"({"action":"count"})"),
          step(R"({"action":"finish","final_answer":"done"})"),
          step(R"({"verdict":"accept"})")};
}

std::vector<llm::Reply> replies_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::react:
      return react_replies();
    case Strategy::plan_and_execute:
      return plan_replies();
    case Strategy::reflexion:
      return reflexion_replies();
  }
  return {};
}

}  // namespace

TEST_SUITE("agent/resume") {
  TEST_CASE(
      "a run that is killed at any boundary goes on to the same answer, and repeats nothing") {
    for (const Strategy strategy :
         {Strategy::react, Strategy::plan_and_execute, Strategy::reflexion}) {
      CAPTURE(name_of(strategy));
      int boundaries = 0;
      for (int kill_at = 0;; ++kill_at) {
        Stage stage;
        int ran = 0;
        stage.add("count", [&](std::string_view) { return gave(std::to_string(++ran)); });
        stage.options.calling = Calling::json;
        ListModel model(replies_of(strategy));
        const llm::Candidate llm{&model, "m", {}, {}};
        std::string id;
        boundaries = 0;
        bool was_killed = false;
        stage.options.on_event = [&](const RunEvent& event) {
          id = event.run.empty() ? id : std::string(event.run);
          const bool is_boundary = event.kind == RunEvent::Kind::asking && !event.is_recorded;
          if (is_boundary && boundaries++ == kill_at && !was_killed) throw Killed{};
        };
        try {
          const auto whole = must(run(strategy, "g", llm, stage.session, stage.options));
          CHECK(whole.answer == "done");
          break;  // No boundary was left to be killed at.
        } catch (const Killed&) {
          was_killed = true;
        }
        const std::size_t asked = model.requests.size();
        const auto resumed = must(resume(id, llm, stage.session, stage.options, {}));
        CHECK(resumed.stopped == Stopped::goal_achieved);
        CHECK(resumed.answer == "done");
        CHECK(ran == 2);
        CHECK(model.requests.size() == replies_of(strategy).size());
        CHECK(asked <= model.requests.size());
        CHECK(stage.decisions("resumed").size() == 1);
        CHECK(stage.decisions("run-ended").size() == 1);
      }
      CHECK(boundaries >= 1);
    }
  }

  TEST_CASE("a call that was under way is not made again, and says that its effect is not known") {
    for (const Strategy strategy :
         {Strategy::react, Strategy::plan_and_execute, Strategy::reflexion}) {
      CAPTURE(name_of(strategy));
      Stage stage;
      int ran = 0;
      stage.add("count", [&](std::string_view) -> ToolResult {
        if (++ran == 1) throw Killed{};
        return gave(std::to_string(ran));
      });
      stage.options.calling = Calling::json;
      auto replies = replies_of(strategy);
      if (strategy == Strategy::plan_and_execute) replies.push_back(plan_replies().front());
      ListModel model(std::move(replies));
      const llm::Candidate llm{&model, "m", {}, {}};
      std::string id;
      // What a tool throws is a failure, so the end of the process is told from its event.
      stage.options.on_event = [&](const RunEvent& event) {
        id = event.run.empty() ? id : std::string(event.run);
        if (event.kind == RunEvent::Kind::calling && ran == 0) {
          ++ran;
          throw Killed{};
        }
      };
      CHECK_THROWS_AS(run(strategy, "g", llm, stage.session, stage.options).value(), const Killed&);
      const auto resumed = must(resume(id, llm, stage.session, stage.options, {}));
      CHECK(resumed.stopped == Stopped::goal_achieved);
      std::size_t unverified = 0;
      for (const auto& turn : stage.turns()) {
        if (turn.text.find(kUnverified) != std::string::npos &&
            turn.facts.text("mark") == "observation") {
          ++unverified;
        }
      }
      CHECK(unverified == 1);
    }
  }

  TEST_CASE("a call that needs approval parks the run, which goes on with a person's word") {
    for (const bool approves : {true, false}) {
      Stage stage;
      int ran = 0;
      Tool tool;
      tool.id = "wipe";
      tool.needs_approval = true;
      tool.run = [&](std::string_view, const ToolContext&) { return ++ran, gave("wiped"); };
      stage.add(std::move(tool));
      ListModel model({calls({{"wipe", "{}"}}), llm::say("done")});
      const llm::Candidate llm{&model, "m", {}, {}};
      const auto parked = must(react("g", llm, stage.session, stage.options));
      CHECK(parked.stopped == Stopped::interrupted);
      CHECK(parked.waits_for == "wipe");
      CHECK(ran == 0);

      const auto still = must(resume(parked.run, llm, stage.session, stage.options, {}));
      CHECK(still.waits_for == "wipe");
      const auto resumed = must(resume(parked.run, llm, stage.session, stage.options,
                                       {.approval = approves, .reason = "r"}));
      CHECK(resumed.stopped == Stopped::goal_achieved);
      CHECK(ran == (approves ? 1 : 0));
      CHECK(resumed.steps.front().is_error != approves);
      CHECK(stage.decisions(approves ? "approved" : "denied").front().text == "r");
    }
  }

  TEST_CASE("a run that ran out goes on with a higher limit, and books what it had spent") {
    Stage stage;
    stage.add("count", [](std::string_view) { return gave("1"); });
    stage.options.calling = Calling::json;
    stage.options.max_steps = 1;
    auto first = step(R"({"action":"count"})");
    first.usage.input = 30;
    first.usage.output = 5;
    ListModel model({first, step(R"({"action":"finish","final_answer":"done"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    CHECK(stopped.stopped == Stopped::max_steps);

    llm::CostTracker fresh;
    stage.options.tracker = &fresh;
    stage.options.max_steps = 2;
    const auto resumed = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.answer == "done");
    CHECK(resumed.spent.tokens() == 35);
    const auto again = resume(stopped.run, llm, stage.session, stage.options, {});
    REQUIRE_FALSE(again);
    CHECK(again.error().code == store::Error::Code::conflict);
  }

  TEST_CASE("time between two processes is not time of the run") {
    Stage stage;
    stage.add("slow", [&](std::string_view) { return stage.clock->advance(20), gave("1"); });
    stage.options.calling = Calling::json;
    stage.options.max_steps = 1;
    stage.options.budget.max_wall_time = std::chrono::seconds(60);
    ListModel model({step(R"({"action":"slow"})"), step(R"({"action":"slow"})"),
                     step(R"({"action":"slow"})"), step(R"({"action":"slow"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    stage.clock->advance(3600);
    stage.options.max_steps = 9;
    const auto resumed = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.stopped == Stopped::max_wall_time);
    CHECK(resumed.steps.size() == 3);
  }

  TEST_CASE("a branch that does not hold the run any more is refused, with a way out") {
    Stage stage;
    stage.options.calling = Calling::json;
    stage.options.max_steps = 1;
    ListModel model({llm::say("nonsense")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    Session other(*stage.repository, "other");
    REQUIRE(other.branch().user("something else"));
    const auto refused = resume(stopped.run, llm, other, stage.options, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == store::Error::Code::conflict);
    CHECK(refused.error().hint.find("spoor branch") != std::string::npos);
  }

  TEST_CASE("an answer that was cut off is asked for again, and not shown") {
    Stage stage;
    llm::Reply cut = llm::say("half an ans");
    cut.failure = {.kind = llm::Failure::Kind::network, .message = "reset"};
    ListModel model({cut, llm::say("whole")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    CHECK(stopped.stopped == Stopped::error);
    const auto resumed = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.answer == "whole");
    CHECK(model.requests.back().find("half an ans") == std::string::npos);
  }
}

}  // namespace spoor::agent
