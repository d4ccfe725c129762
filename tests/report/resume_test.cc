#include <doctest/doctest.h>

#include "agent/dispatch.h"
#include "agent/record/recording.h"
#include "agent/runs.h"
#include "graph/undo.h"
#include "report/debrief/graph_source.h"
#include "tests/agent/stage.h"

namespace spoor::agent {

namespace debrief = report::debrief;

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
    CHECK(again.error().code == Error::Code::conflict);
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

  TEST_CASE("two processes do not drive one run: the one that comes second stops the first") {
    Stage stage;
    Session second(*stage.repository, "main");
    int ran = 0;
    std::string id;
    ListModel model({calls({{"slow", "{}"}}), llm::say("second"), llm::say("first")});
    const llm::Candidate llm{&model, "m", {}, {}};
    RunOptions other = stage.options;
    std::optional<PlanResult> taken_over;
    stage.add("slow", [&](std::string_view) {
      ++ran;
      taken_over = must(resume(id, llm, second, other, {}));
      return gave("late");
    });
    stage.options.on_event = [&](const RunEvent& event) {
      id = event.run.empty() ? id : event.run;
    };
    const auto first = react("g", llm, stage.session, stage.options);
    REQUIRE(taken_over);
    CHECK(taken_over->answer == "second");
    REQUIRE_FALSE(first);
    CHECK(first.error().code == Error::Code::conflict);
    CHECK(ran == 1);
    CHECK(stage.decisions("run-ended").size() == 1);
    std::size_t results = 0;
    for (const auto& turn : stage.turns()) results += turn.type == compile::Type::tool ? 1 : 0;
    CHECK(results == 1);
  }

  TEST_CASE("a run stops when its branch is moved away under it, and its ref stays") {
    Stage stage;
    std::string id;
    stage.add("move", [&](std::string_view) {
      const auto moved = stage.repository->transact(
          "reset", graph::OnConflict::fail,
          [](graph::Draft& draft) { return draft.move("refs/heads/main", std::nullopt); });
      return moved ? gave("") : failed(moved.error().message);
    });
    stage.options.on_event = [&](const RunEvent& event) {
      id = event.run.empty() ? id : event.run;
    };
    ListModel model({calls({{"move", "{}"}}), llm::say("x")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = react("g", llm, stage.session, stage.options);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == Error::Code::conflict);
    CHECK(record::read_header(*stage.repository, id));
    CHECK_FALSE(stage.session.branch().tip().value());
  }

  TEST_CASE("the run's own goal and system prompt come back after another run on its branch") {
    Stage stage;
    stage.add("wait", [](std::string_view) { return gave(""); });
    stage.options.max_steps = 1;
    ListModel model({calls({{"wait", "{}"}}), llm::say("other"), llm::say("mine")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto mine = must(react("my goal", llm, stage.session, stage.options));
    stage.clock->advance(1);
    RunOptions other = stage.options;
    other.instructions = "SHOUT";
    must(react("another goal", llm, stage.session, other));
    stage.options.max_steps = 3;
    const auto resumed = must(resume(mine.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.answer == "mine");
    CHECK(model.requests.back().find("SHOUT") == std::string::npos);
    const auto prompt = must(stage.session.branch().compile());
    for (const auto& message : prompt.messages) {
      const auto& part = message.parts.front();
      if (part.type != compile::Type::user || !part.is_explicit) continue;
      CHECK((part.priority == store::Priority::pinned) == (*part.text == "my goal"));
    }
  }

  TEST_CASE("a reflexion that ran out of turns goes on where it was, whatever the new limits") {
    Stage stage;
    int ran = 0;
    stage.add("count", [&](std::string_view) { return gave(std::to_string(++ran)); });
    stage.options.calling = Calling::json;
    stage.options.rationale = false;
    stage.options.max_steps = 1;
    stage.options.max_outer_iterations = 2;
    ListModel model(
        {step(R"({"action":"count"})"), step(R"({"verdict":"retry","critique":"more"})"),
         step(R"({"action":"count"})"), step(R"({"verdict":"retry","critique":"still more"})"),
         step(R"({"action":"count"})"), step(R"({"action":"finish","final_answer":"done"})"),
         step(R"({"verdict":"accept"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(reflexion("g", llm, stage.session, stage.options));
    CHECK(stopped.stopped == Stopped::max_steps);
    CHECK(ran == 2);
    stage.options.max_steps = 3;
    stage.options.max_outer_iterations = 3;
    const auto resumed = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.answer == "done");
    CHECK(resumed.error.value_or("") == "");
    CHECK(resumed.by == "critic");
    CHECK(ran == 3);
    CHECK(resumed.critiques.size() == 3);
  }

  TEST_CASE("a reply that could not be read is asked for again, and not shown") {
    Stage stage;
    stage.options.calling = Calling::json;
    ListModel model({llm::say("gibberish one"), llm::say("gibberish two"),
                     step(R"({"action":"finish","final_answer":"done"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    CHECK(stopped.by == "malformed");
    const auto resumed = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.answer == "done");
    CHECK(model.requests.back().find("gibberish one") != std::string::npos);
    CHECK(model.requests.back().find("gibberish two") == std::string::npos);
  }

  TEST_CASE("a run goes on again and again after a reply that could not be read") {
    Stage stage;
    stage.add("count", [](std::string_view) { return gave("1"); });
    stage.options.calling = Calling::json;
    auto paid = llm::say("gibberish two");
    paid.usage.input = 7;
    ListModel model({llm::say("gibberish one"), paid, llm::say("gibberish three"),
                     step(R"({"action":"count"})"),
                     step(R"({"action":"finish","final_answer":"done"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    CHECK(must(resume(stopped.run, llm, stage.session, stage.options, {})).by == "malformed");
    stage.options.max_steps = 2;
    CHECK(must(resume(stopped.run, llm, stage.session, stage.options, {})).by == "max_steps");
    stage.options.max_steps = 9;
    llm::CostTracker fresh;
    stage.options.tracker = &fresh;
    const auto done = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(done.answer == "done");
    CHECK(done.spent.tokens() == 7);
    CHECK(model.requests.size() == 5);
  }

  TEST_CASE("a turn of a run that was picked onto its branch again is no second one") {
    Stage stage;
    int ran = 0;
    stage.add("count", [&](std::string_view) { return gave(std::to_string(++ran)); });
    stage.options.calling = Calling::json;
    stage.options.max_steps = 1;
    ListModel model({step(R"({"action":"count"})"), step(R"({"action":"count"})"),
                     step(R"({"action":"finish","final_answer":"done"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    const auto answer =
        must(record::read_recording(*stage.repository, stopped.run)).events[0].commit;
    const auto original = must(stage.repository->reader().commit(answer));
    must(stage.session.branch().write(
        "cherry-pick", [&](graph::Draft& draft, const std::string& ref) -> Result<store::Oid> {
          const auto tip = TRY(draft.tip_of(ref));
          const auto copy = TRY(draft.copy(answer, *original, {tip}, {}));
          TRY(draft.move(ref, copy));
          return copy;
        }));
    stage.options.max_steps = 2;
    must(resume(stopped.run, llm, stage.session, stage.options, {}));
    stage.options.max_steps = 3;
    CHECK(must(resume(stopped.run, llm, stage.session, stage.options, {})).answer == "done");
    CHECK(ran == 2);
    const auto told = must(
        debrief::debrief_of(*stage.repository, must(find_run(*stage.repository, stopped.run))));
    CHECK(told.answers == 3);
    CHECK(told.path.total() == 2);
  }

  TEST_CASE("of several calls the first without a result is unverified, and those after it run") {
    Stage stage;
    int ran = 0;
    stage.add("count", [&](std::string_view) { return gave(std::to_string(++ran)); });
    Tool asks{.id = "wipe"};
    asks.needs_approval = true;
    asks.run = [&](std::string_view, const ToolContext&) { return ++ran, gave("wiped"); };
    stage.add(std::move(asks));
    ListModel model({calls({{"count", "{}"}, {"wipe", "{}"}, {"count", "{}"}}), llm::say("done")});
    const llm::Candidate llm{&model, "m", {}, {}};
    std::string id;
    bool was_killed = false;
    stage.options.on_event = [&](const RunEvent& event) {
      id = event.run.empty() ? id : std::string(event.run);
      if (event.kind == RunEvent::Kind::calling && !was_killed) {
        was_killed = true;
        throw Killed{};
      }
    };
    CHECK_THROWS_AS(must(react("g", llm, stage.session, stage.options)), const Killed&);
    const auto parked = must(resume(id, llm, stage.session, stage.options, {}));
    CHECK(parked.waits_for == "wipe");
    CHECK(ran == 0);
    CHECK_FALSE(resume(id, llm, stage.session, stage.options, {.approval = {}, .reason = "x"})
                    .value()
                    .waits_for.empty());
    const auto done = must(resume(id, llm, stage.session, stage.options, {.approval = true}));
    CHECK(done.answer == "done");
    CHECK(ran == 2);
    CHECK(done.steps[0].observation->find(kUnverified) != std::string::npos);
    CHECK(done.steps[2].observation == R"("2")");
  }

  TEST_CASE("a word that nobody waits for is refused, and a refusal tells the model why") {
    Stage stage;
    Tool asks{.id = "wipe"};
    asks.needs_approval = true;
    asks.run = [](std::string_view, const ToolContext&) { return gave("wiped"); };
    stage.add(std::move(asks));
    ListModel model({calls({{"wipe", R"({})"}}), llm::say("done")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto parked = must(react("g", llm, stage.session, stage.options));
    CHECK(parked.waits_with == "{}");
    must(resume(parked.run, llm, stage.session, stage.options,
                {.approval = false, .reason = "not on a Friday"}));
    CHECK(model.requests.back().find("not on a Friday") != std::string::npos);

    Stage other;
    other.options.max_steps = 0;
    const auto stopped = must(react("g", llm, other.session, other.options));
    const auto refused = resume(stopped.run, llm, other.session, other.options, {.approval = true});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::invalid);
  }

  TEST_CASE("a merge that brings the run in by its other side does not hold it") {
    Stage stage;
    stage.options.max_steps = 0;
    ListModel model({});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    Session other(*stage.repository, "other");
    must(other.branch().user("z"));
    must(other.take_back(stage.session, "what the run did"));
    CHECK_FALSE(resume(stopped.run, llm, other, stage.options, {}));
    CHECK(stage.repository->store().ref(record::head_ref(stopped.run)).value() ==
          stage.session.branch().tip().value());
  }

  TEST_CASE("undo takes a step of a run back with what the run says of itself") {
    Stage stage;
    stage.options.max_steps = 0;
    ListModel model({llm::say("done")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    const auto taken = graph::step_to_undo(stage.repository->store()).value();
    REQUIRE(stage.repository->transact("undo", graph::OnConflict::fail, [&](graph::Draft& draft) {
      return graph::take_back(draft, taken);
    }));
    CHECK(stage.repository->store().ref(record::head_ref(stopped.run)).value() ==
          stage.session.branch().tip().value());
    stage.options.max_steps = 1;
    CHECK(must(resume(stopped.run, llm, stage.session, stage.options, {})).answer == "done");
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
    CHECK(refused.error().code == Error::Code::conflict);
    CHECK(refused.error().hint.find("spoor switch --create") != std::string::npos);
  }

  TEST_CASE("an answer that was cut off is asked for again, and not shown") {
    Stage stage;
    llm::Reply cut = llm::say("half an ans");
    cut.failure = {.kind = llm::Failure::Kind::network, .message = "reset"};
    ListModel model({cut, cut, cut, cut, llm::say("whole")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    CHECK(stopped.stopped == Stopped::error);
    CHECK(model.requests.size() == 4);
    const auto resumed = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.answer == "whole");
    CHECK(model.requests.back().find("half an ans") == std::string::npos);
  }
}

}  // namespace spoor::agent
