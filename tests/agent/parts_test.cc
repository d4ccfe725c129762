#include <doctest/doctest.h>

#include "agent/planners/steps.h"
#include "tests/agent/stage.h"
#include "tests/support/holds.h"

namespace spoor::agent {
namespace {

using spoor::testing::holds;
using testing::ListModel;
using testing::must;
using testing::Stage;

llm::Reply ended(std::string text, std::string how) {
  llm::Reply reply = llm::say(std::move(text));
  reply.finish_reason = std::move(how);
  return reply;
}

// A stage with a tool that counts, and models that write JSON.
struct CountStage : Stage {
  std::vector<std::string> made;

  CountStage() {
    options.calling = Calling::json;
    options.nudges_per_step = 0;
    add("act", [this](std::string_view arguments) {
      made.emplace_back(arguments);
      return gave("x");
    });
  }

  PlanResult reached(ListModel& model, Strategy strategy) {
    return must(run(strategy, "g", {&model, "m", {}, {}}, session, options));
  }

  bool is_replayed(ListModel& model, const PlanResult& result) {
    const auto again = must(replay(result.run, {&model, "m", {}, {}}, session, options));
    for (const auto& one : again.divergences) {
      MESSAGE(one.what << ": " << one.recorded << " / " << one.now);
    }
    return again.divergences.empty() && again.is_whole;
  }
};

}  // namespace

TEST_SUITE("agent/parts") {
  TEST_CASE("an answer in parts is joined, with or without its fence, or begins anew") {
    const auto is_whole = [](const std::string& text) {
      return planners::parse_step(text).has_value();
    };
    const std::string front = "```json\n{\"action\":\"a";
    for (const char* rest : {"ct\"}\n```", "```json\nct\"}\n```", "```\nct\"}"}) {
      const auto step = planners::parse_step(planners::join_parts(front, rest, is_whole));
      CAPTURE(rest);
      REQUIRE(step);
      CHECK(step->action == "act");
    }
    const auto anew = planners::join_parts(front, R"({"action":"other"})", is_whole);
    CHECK(planners::parse_step(anew)->action == "other");
    CHECK(planners::join_parts("a", "b", is_whole) == "ab");
    CHECK(planners::join_parts("a", "```", is_whole) == "a```");
    CHECK(planners::join_parts("", "b", is_whole) == "b");
  }

  TEST_CASE("a JSON step that reached its limit is continued, its call made once") {
    CountStage stage;
    ListModel model({ended(R"({"action":"act","action_input":{"text":"ha)", "length"),
                     llm::say(R"(lf"},"rationale":{"why":"w"}})"),
                     llm::say(R"({"action":"finish","final_answer":"done"})")});
    const PlanResult result = stage.reached(model, Strategy::react);
    CHECK(result.answer == "done");
    CHECK(stage.made == std::vector<std::string>{R"({"text":"half"})"});
    CHECK(holds(model.requests.at(1), "exactly where it ended"));
    CHECK(stage.is_replayed(model, result));
  }

  TEST_CASE("a JSON answer that reached its limit is continued") {
    CountStage stage;
    ListModel model({ended("{\"action\":\"finish\",\"final_answer\":\"forty", "length"),
                     ended("-tw", "length"), llm::say("o\"}")});
    const PlanResult result = stage.reached(model, Strategy::react);
    CHECK(result.answer == "forty-two");
    CHECK(stage.is_replayed(model, result));
    CountStage other;
    ListModel endless(std::vector<llm::Reply>(9, ended("{\"action\":\"", "length")));
    const PlanResult given_up = other.reached(endless, Strategy::react);
    CHECK(given_up.by == "truncated");
    CHECK_FALSE(given_up.answer);
    CHECK(endless.requests.size() == 4);
  }

  TEST_CASE("a plan that reached its limit is continued; its calls and reasons are in the record") {
    CountStage stage;
    ListModel model({ended(R"({"plan":[{"action":"act","action_input":{"n":1},)", "length"),
                     ended(R"("rationale":{"why":"first"}},{"act)", "max_tokens"),
                     llm::say(R"(ion":"finish","final_answer":"done"}]})")});
    const PlanResult result = stage.reached(model, Strategy::plan_and_execute);
    CHECK(result.answer == "done");
    CHECK(stage.made == std::vector<std::string>{R"({"n":1})"});
    CHECK(stage.decisions("step-started").at(0).fields.tool_calls->front().arguments ==
          R"({"n":1})");
    CHECK(stage.is_replayed(model, result));
    CountStage other;
    ListModel endless(std::vector<llm::Reply>(9, ended("{\"plan\":[", "length")));
    CHECK(other.reached(endless, Strategy::plan_and_execute).by == "truncated");
    CHECK(endless.requests.size() == 4);
  }

  TEST_CASE("a paused plan goes on without a nudge") {
    CountStage stage;
    stage.options.rationale = false;
    ListModel model({ended("Searching", "pause_turn"),
                     llm::say(R"({"plan":[{"action":"act"},{"action":"finish"}]})"),
                     ended("Searching again", "pause_turn"), llm::say("found")});
    const PlanResult result = stage.reached(model, Strategy::plan_and_execute);
    CHECK(result.answer == "Searching again\n\nfound");
    for (const auto& turn : stage.turns()) CHECK(turn.facts.text("mark") != "nudge");
    CHECK(stage.is_replayed(model, result));
  }

  TEST_CASE("an answer from observations that reached its limit is continued") {
    CountStage stage;
    stage.options.rationale = false;
    ListModel model({llm::say(R"({"plan":[{"action":"act"},{"action":"finish"}]})"),
                     ended("The result is fo", "length"), llm::say("rty-two.")});
    const PlanResult result = stage.reached(model, Strategy::plan_and_execute);
    CHECK(result.answer == "The result is forty-two.");
    CHECK(stage.is_replayed(model, result));
  }

  TEST_CASE("a verdict that reached its limit is continued, one that paused goes on") {
    CountStage stage;
    ListModel model(
        {llm::say(R"({"action":"finish","final_answer":"a"})"), ended("Let me see", "pause_turn"),
         ended(R"({"verdict":"retry","critique":"be mo)", "length"), llm::say(R"(re exact"})"),
         llm::say(R"({"action":"finish","final_answer":"b"})"),
         llm::say(R"({"verdict":"accept"})")});
    const PlanResult result = stage.reached(model, Strategy::reflexion);
    CHECK(result.answer == "b");
    CHECK(result.critiques.at(0).critique == "be more exact");
    CHECK(stage.is_replayed(model, result));
    CountStage other;
    std::vector<llm::Reply> replies(9, ended("{\"verdict\":\"", "length"));
    replies.front() = llm::say(R"({"action":"finish","final_answer":"a"})");
    ListModel endless(replies);
    const PlanResult given_up = other.reached(endless, Strategy::reflexion);
    CHECK(given_up.by == "truncated");
    CHECK(given_up.answer == "a");
  }
}

}  // namespace spoor::agent
