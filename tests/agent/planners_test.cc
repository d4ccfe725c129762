#include <doctest/doctest.h>

#include "agent/planners/prompts.h"
#include "agent/planners/reasons.h"
#include "agent/planners/steps.h"
#include "tests/agent/stage.h"
#include "tests/support/holds.h"

namespace spoor::agent::planners {
namespace {

using spoor::testing::holds;

}  // namespace

TEST_SUITE("agent/planners") {
  TEST_CASE("a step is its action; what it does not say is empty") {
    const auto step = parse_step(R"({"action":"look"})").value();
    CHECK(step.action == "look");
    CHECK(step.thought.empty());
    CHECK(step.action_input == "{}");
    CHECK_FALSE(step.final_answer);
    CHECK_FALSE(step.rationale);
  }

  TEST_CASE("a step's input is kept as JSON, its answer as text where it is one") {
    const auto step = parse_step(
        R"(Well: ```json
{"action":"finish","action_input":{"b":1,"a":[2]},"final_answer":{"n":1.50},"rationale":"so"}
```)");
    REQUIRE(step);
    CHECK(step->action_input == R"({"a":[2],"b":1})");
    CHECK(step->final_answer == R"({"n":1.50})");
    CHECK(step->rationale->why == "so");
    CHECK(parse_step(R"({"action":"finish","final_answer":"a"})")->final_answer == "a");
    CHECK_FALSE(parse_step(R"({"action":"finish","final_answer":null})")->final_answer);
  }

  TEST_CASE("what is no step says why") {
    CHECK(holds(parse_step("hello").error().message, "no JSON block"));
    CHECK_FALSE(parse_step("[1]"));
    CHECK_FALSE(parse_step(R"({"action":""})"));
    CHECK_FALSE(parse_step(R"({"action":7})"));
    CHECK(holds(parse_plan(R"({"plan":[{"action":"a"}]})").error().message, "finish"));
    CHECK(holds(parse_plan(R"({"plan":[{"x":1},{"action":"finish"}]})").error().message, "step 1"));
    CHECK_FALSE(parse_plan(R"({"plan":[]})"));
    CHECK_FALSE(parse_verdict(R"({"verdict":true})"));
    CHECK(parse_verdict(R"({"verdict":"accept"})")->accepts);
    CHECK(parse_verdict(R"({"verdict":"retry","critique":"x"})")->critique == "x");
  }

  TEST_CASE("a prompt tells the tools, the form of the answer, and how to say why, and no more") {
    Registry registry;
    Tool tool{.id = "look", .description = "Looks."};
    tool.run = [](std::string_view, const ToolContext&) { return gave(""); };
    REQUIRE(registry.add(tool));
    const auto catalogue = discover_tools(registry, AllTools{}, std::monostate()).value();
    RunOptions options;
    options.instructions = "Be brief.";
    const auto prompt = [&](Strategy strategy, Calling calling) {
      return build_system_prompt(strategy, calling, catalogue, options);
    };
    CHECK(holds(prompt(Strategy::react, Calling::json), "\"action_input\""));
    CHECK(holds(prompt(Strategy::react, Calling::json), "member \"rationale\""));
    CHECK(holds(prompt(Strategy::react, Calling::native), "<rationale call=\"N\""));
    CHECK_FALSE(holds(prompt(Strategy::react, Calling::native), "\"action_input\""));
    CHECK(holds(prompt(Strategy::react, Calling::text), "<tool_call>"));
    CHECK(holds(prompt(Strategy::plan_and_execute, Calling::native), "{\"plan\""));
    CHECK(holds(prompt(Strategy::plan_and_execute, Calling::native), "- look: Looks.\n"));
    for (const Calling calling : {Calling::json, Calling::native, Calling::text}) {
      // With native calls the request has a member for the tools.
      CHECK(holds(prompt(Strategy::reflexion, calling), "- look: Looks.\n") ==
            (calling != Calling::native));
      CHECK(holds(prompt(Strategy::react, calling), "Be brief."));
    }
    options.rationale = false;
    for (const Calling calling : {Calling::json, Calling::native, Calling::text}) {
      CHECK_FALSE(holds(prompt(Strategy::react, calling), "ationale"));
    }
    CHECK(holds(build_critic_prompt(), "Reflexion critic"));
  }

  TEST_CASE("each form that a prompt asks for is read") {
    const std::string object = R"({"why":"w","refs":["obs:1"],"confidence":0.5})";
    const Rationale asked{.why = "w", .refs = {"obs:1"}, .alternatives = {}, .confidence = 0.5};
    CHECK(parse_step(R"({"action":"look","rationale":)" + object + '}')->rationale == asked);
    const auto plan = parse_plan(R"({"plan":[{"action":"look","rationale":)" + object +
                                 R"(},{"action":"finish"}]})");
    REQUIRE(plan);
    CHECK(plan->front().rationale == asked);
    const record::AnswerContent content{.text = R"(<rationale call="1" tool="look">)" + object +
                                                "</rationale>"};
    KnownRefs known;
    known.add_observation(1);
    const auto reading =
        read_reasons(content, {{.tool = "look", .rationale = {}, .dropped = {}}}, {}, known, true);
    CHECK(reading.rationale.at(1) == asked);
    CHECK(reading.decisions.empty());
  }

  TEST_CASE(
      "a reason may cite the goal, what was observed, calls, tools that were used, and commits") {
    KnownRefs known;
    known.add_observation(2);
    known.add("look");
    known.add("c1");
    known.add("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    for (const char* ref : {"goal", "obs:1", "obs:2", "look", "c1", "0123456789"}) {
      CAPTURE(ref);
      CHECK(known.holds(ref));
    }
    for (const char* ref :
         {"", "obs:0", "obs:3", "obs:", "obs:1x", "walk", "0123456", "123456789a"}) {
      CAPTURE(ref);
      CHECK_FALSE(known.holds(ref));
    }
  }
}

}  // namespace spoor::agent::planners
