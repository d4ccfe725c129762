#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "agent/record/recording.h"
#include "agent/runs.h"
#include "tests/agent/stage.h"

namespace spoor::agent {
namespace {

using testing::calls;
using testing::find_it;
using testing::ListModel;
using testing::must;
using testing::Stage;
using testing::step;

}  // namespace

TEST_SUITE("agent/run") {
  TEST_CASE("a run is on the branch: its root, its goal, each answer and result, and its end") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("a lamp"); });
    stage.options.calling = Calling::json;
    ListModel model({step(R"({"thought":"t","action":"look","rationale":{"why":"it is dark"}})"),
                     step(R"({"action":"finish","final_answer":"lit"})")});
    const PlanResult result = find_it(stage, model);

    CHECK(result.answer == "lit");
    const auto turns = stage.turns();
    std::vector<std::string> kinds;
    for (const auto& turn : turns) {
      kinds.push_back(std::string(store::name_of(turn.type)) + ' ' + turn.facts.text("decision") +
                      turn.facts.text("mark") + turn.facts.text("action"));
    }
    const std::vector<std::string> expected = {
        "decision run-started", "system ",          "user goal",        "summary ",
        "assistant look",       "user observation", "assistant finish", "decision run-ended"};
    CHECK(kinds == expected);
    CHECK(turns[0].text == "find it");
    CHECK(turns[4].fields.rationale == R"({"1":{"why":"it is dark"}})");
    CHECK(turns[4].facts.json("step") == "1");
    CHECK(turns[4].facts.text("purpose") == "agent");
    CHECK(turns[5].text == "[obs:1 look]\na lamp");
    CHECK(turns[7].facts.text("stopped") == "goal_achieved");
    for (std::size_t i = 4; i < turns.size(); ++i) CHECK(turns[i].facts.text("run") == result.run);
  }

  TEST_CASE("a run that goes on with another model warns once of thinking that it cannot read") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("a lamp"); });
    const auto script = [](const llm::Request& request, std::size_t number) {
      const std::string id = std::to_string(number);
      llm::ScriptedAnswer answer;
      if (request.model == "claude-fable-5-1" && number > 0) {
        answer.reply = llm::fail({.kind = llm::Failure::Kind::overloaded});
        return answer;
      }
      answer.reply =
          number < 5 ? calls({{"look", "{}"}}, {}, static_cast<int>(number)) : llm::say("lit");
      answer.reply.pieces.insert(
          answer.reply.pieces.begin(),
          {.kind = llm::Piece::Kind::reasoning,
           .text = "hm",
           .raw = R"({"type":"thinking","thinking":"hm","signature":"s)" + id + R"("})"});
      answer.reply.model = request.model;
      return answer;
    };
    llm::Profile profile;
    profile.name = "anthropic";
    profile.wire = llm::Wire::anthropic;
    llm::NoWaiting waiting;
    llm::ScriptedProvider provider(profile, script, waiting);
    stage.options.fallbacks = {{&provider, "claude-opus-5-5", {}, {}}};
    const PlanResult result =
        must(run(Strategy::react, "find it", {&provider, "claude-fable-5-1", {}, {}}, stage.session,
                 stage.options));
    CHECK(result.answer == "lit");
    const std::vector<std::string> expected = {
        "thinking that is not valid any more is left out, 1 block(s): 'claude-opus-5-5' does not "
        "read thinking of 'claude-fable-5-1' (model_binding_mismatch)"};
    CHECK(result.warnings == expected);
  }

  TEST_CASE("the run's own ref is at its last commit, and its id is the root's name") {
    Stage stage;
    stage.options.calling = Calling::json;
    ListModel model({step(R"({"action":"finish","final_answer":"x"})")});
    const PlanResult result = find_it(stage, model);
    const auto header = record::read_header(*stage.repository, result.run).value();
    CHECK(header.head == stage.session.branch().tip().value());
    CHECK(header.root.hex().starts_with(result.run));
    CHECK(header.goal == "find it");
    CHECK(find_run(*stage.repository, "latest").value().id == result.run);
    CHECK(find_run(*stage.repository, result.run.substr(0, 4)).value().id == result.run);
    CHECK(find_run(*stage.repository, "nosuch").error().code == Error::Code::not_found);
  }

  TEST_CASE("native calls make tool commits, in the order of the calls") {
    Stage stage;
    stage.add("notes.search", [](std::string_view) { return gave_json(R"({"hits":1})"); });
    stage.add("look", [](std::string_view) { return failed("dark"); });
    ListModel model({calls({{"notes_search", "{}"}, {"look", ""}}), llm::say("done")});
    const PlanResult result = find_it(stage, model);

    CHECK(result.answer == "done");
    REQUIRE(result.steps.size() == 3);
    CHECK(result.steps[0].action == "notes.search");
    CHECK(result.steps[0].observation == R"({"hits":1})");
    CHECK(result.steps[1].observation == R"("error: dark")");
    std::vector<std::string> results;
    for (const auto& turn : stage.turns()) {
      if (turn.type == compile::Type::tool)
        results.push_back(turn.fields.call_id + ' ' + turn.text);
    }
    CHECK(results == std::vector<std::string>{R"(c1 {"hits":1})", "c2 error: dark"});
    CHECK(model.requests.front().find("notes_search") != std::string::npos);
  }

  TEST_CASE("a call without a reason is said to have none, unless none was asked for") {
    for (const bool asked : {true, false}) {
      Stage stage;
      stage.add("look", [](std::string_view) { return gave(""); });
      stage.options.rationale = asked;
      ListModel model({calls({{"look", "{}"}}), llm::say("done")});
      find_it(stage, model);
      CHECK(stage.decisions("rationale-missing").size() == (asked ? 1 : 0));
    }
  }

  TEST_CASE("a reason that cites what is not in the run is flagged, and refused when strict") {
    const std::string text =
        R"(<rationale call="1" tool="look">{"why":"w","refs":["goal","obs:1"]}</rationale>)";
    for (const bool strict : {false, true}) {
      Stage stage;
      int ran = 0;
      stage.add("look", [&](std::string_view) { return ++ran, gave(""); });
      stage.options.strict_refs = strict;
      ListModel model({calls({{"look", "{}"}}, text), llm::say("done")});
      const PlanResult result = find_it(stage, model);
      const auto flagged = stage.decisions("unknown-ref");
      REQUIRE(flagged.size() == 1);
      CHECK(flagged.front().text == "obs:1");
      CHECK(ran == (strict ? 0 : 1));
      CHECK(result.steps.front().is_error == strict);
    }
  }

  TEST_CASE("a block for another tool than the call's explains nothing") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave(""); });
    const std::string text = R"(<rationale call="1" tool="walk">{"why":"w"}</rationale>)";
    ListModel model({calls({{"look", "{}"}}, text), llm::say("done")});
    find_it(stage, model);
    CHECK(stage.decisions("rationale-dropped").size() == 1);
    CHECK(stage.decisions("rationale-missing").size() == 1);
  }

  TEST_CASE("a block of plain text is the reason of its call, else it is kept as dropped") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave(""); });
    const std::string text =
        R"(<rationale call="1" tool="look">to see it</rationale><rationale>more</rationale>)";
    ListModel model({calls({{"look", "{}"}}, text), llm::say("done")});
    find_it(stage, model);
    CHECK(stage.decisions("rationale-missing").empty());
    const auto dropped = stage.decisions("rationale-dropped");
    REQUIRE(dropped.size() == 1);
    CHECK(dropped.front().text == "a block that fits no call: more");
    bool is_recorded = false;
    for (const auto& turn : stage.turns()) {
      is_recorded = is_recorded || turn.fields.rationale == R"({"1":{"why":"to see it"}})";
    }
    CHECK(is_recorded);
  }

  TEST_CASE("the text of an alternative that is too long is kept") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave(""); });
    const std::string longer(161, 'r');
    const std::string text = R"(<rationale call="1">{"why":"w","alternatives":[{"option":"B",)"
                             R"("rejectedBecause":")" +
                             longer + "\"}]}</rationale>";
    ListModel model({calls({{"look", "{}"}}, text), llm::say("done")});
    find_it(stage, model);
    const auto dropped = stage.decisions("rationale-dropped");
    REQUIRE(dropped.size() == 1);
    CHECK(dropped.front().text.find("B: " + longer) != std::string::npos);
  }

  TEST_CASE("a second run in a session unpins the first goal, and keeps the system prompt") {
    Stage stage;
    stage.options.calling = Calling::json;
    ListModel model({step(R"({"action":"finish","final_answer":"a"})"),
                     step(R"({"action":"finish","final_answer":"b"})")});
    find_it(stage, model);
    stage.clock->advance(1);
    find_it(stage, model);
    std::size_t pinned_goals = 0;
    std::size_t systems = 0;
    const auto prompt = stage.session.branch().compile().value();
    for (const auto& message : prompt.messages) {
      const auto& part = message.parts.front();
      if (part.type == compile::Type::user && part.priority == store::Priority::pinned)
        ++pinned_goals;
    }
    for (const auto& turn : stage.turns()) systems += turn.type == compile::Type::system ? 1 : 0;
    CHECK(pinned_goals == 1);
    CHECK(systems == 1);
  }

  TEST_CASE("another system prompt takes the place of the first") {
    Stage stage;
    stage.options.instructions = "Be brief.";
    ListModel model({llm::say("a"), llm::say("b")});
    must(react("one", {&model, "m", {}, {}}, stage.session, stage.options));
    const compile::Oid first = *must(stage.session.branch().tip());
    stage.options.instructions = "Be long.";
    must(react("two", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto body = nlohmann::json::parse(model.requests.at(1));
    std::string roles;
    for (const auto& message : body["messages"]) {
      roles += message["role"].get<std::string>() + ' ';
    }
    CHECK(roles == "system user assistant user ");
    CHECK(model.requests.at(1).find("Be long.") != std::string::npos);
    CHECK(model.requests.at(1).find("Be brief.") == std::string::npos);
    const auto before = stage.repository->compile(first).value();
    CHECK(before.messages.front().parts.front().text->find("Be brief.") != std::string::npos);
  }

  TEST_CASE("what falls out of the window is a decision, once for each change") {
    Stage stage;
    Session narrow(*stage.repository, "narrow",
                   {.principal = {}, .window_tokens = 900, .when_full = WhenFull::drop});
    stage.add("look", [](std::string_view) { return gave(std::string(400, 'x')); });
    stage.options.max_steps = 20;
    stage.options.calling = Calling::json;
    stage.options.rationale = false;
    std::vector<llm::Reply> replies(19, step(R"({"action":"look"})"));
    replies.push_back(step(R"({"action":"finish","final_answer":"a"})"));
    ListModel model(std::move(replies));
    const auto result = must(react("g", {&model, "m", {}, {}}, narrow, stage.options));
    CHECK(result.stopped == Stopped::goal_achieved);
    std::size_t dropped = 0;
    std::size_t turns = 0;
    const auto walked = narrow.branch().log([&](const store::NamedCommit& commit) {
      const auto turn = graph::read_turn(stage.repository->reader(), commit.oid).value();
      if (turn.facts.text("decision") == "curator-dropped") {
        ++dropped;
        CHECK(turn.about.size() <= 2);
        turns += std::stoul(turn.facts.json("turns"));
      }
      return true;
    });
    REQUIRE(walked);
    CHECK(dropped > 2);
    CHECK(dropped < 8);  // In blocks.
    CHECK(turns > 20);
  }

  TEST_CASE("an assumption is a decision with the reason it was given, or none") {
    Stage stage;
    ListModel model(
        {llm::say("I assume prices are net because no tax column exists. Four apples.")});
    find_it(stage, model);
    const auto assumptions = stage.decisions("assumption");
    REQUIRE(assumptions.size() == 1);
    CHECK(assumptions.front().text == "prices are net");
    CHECK(assumptions.front().fields.rationale == R"({"why":"no tax column exists"})");
  }

  TEST_CASE("calls that only read run side by side, and their results stand in order") {
    Stage stage;
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    for (const char* id : {"a", "b", "c"}) {
      Tool tool;
      tool.id = id;
      tool.read_only = true;
      tool.run = [&, id](std::string_view, const ToolContext&) {
        most = std::max(most.load(), ++inside);
        for (int i = 0; i < 500 && most < 3; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          most = std::max(most.load(), inside.load());
        }
        --inside;
        return gave(id);
      };
      stage.add(std::move(tool));
    }
    ListModel model({calls({{"a", "{}"}, {"b", "{}"}, {"c", "{}"}}), llm::say("done")});
    const PlanResult result = find_it(stage, model);
    CHECK(most == 3);
    REQUIRE(result.steps.size() == 4);
    CHECK(result.steps[0].observation == R"("a")");
    CHECK(result.steps[2].observation == R"("c")");
  }

  TEST_CASE("a tool that throws, and one that is not there, are observations") {
    Stage stage;
    stage.add("bad", [](std::string_view) -> ToolResult { throw std::runtime_error("oops"); });
    ListModel model({calls({{"bad", "{}"}, {"nosuch", "{}"}}), llm::say("done")});
    const PlanResult result = find_it(stage, model);
    CHECK(result.stopped == Stopped::goal_achieved);
    CHECK(result.steps[0].observation->find("oops") != std::string::npos);
    CHECK(result.steps[1].observation->find("no tool 'nosuch'") != std::string::npos);
  }

  TEST_CASE(
      "a plan without reasons is asked for once more, and what still lacks them is recorded") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("x"); });
    const std::string plan =
        R"({"plan":[{"action":"look"},{"action":"finish","final_answer":"y"}]})";
    ListModel model({step(plan), step(plan)});
    const PlanResult result = find_it(stage, model, Strategy::plan_and_execute);
    CHECK(result.stopped == Stopped::goal_achieved);
    CHECK(result.plans.size() == 1);
    const auto missing = stage.decisions("plan-rationale-missing");
    REQUIRE(missing.size() == 1);
    CHECK(missing.front().facts.json("count") == "1");
    CHECK(model.requests.back().find("[STRICT RETRY]") != std::string::npos);
  }

  TEST_CASE("a limit on costs that are not known is warned of, once") {
    for (const bool has_limit : {true, false}) {
      Stage stage;
      stage.add("count", [](std::string_view) { return gave("1"); });
      stage.options.calling = Calling::json;
      if (has_limit) stage.options.budget.max_cost = llm::parse_dollars("0.25");
      int told = 0;
      stage.options.on_event = [&](const RunEvent& event) {
        told += event.kind == RunEvent::Kind::warning ? 1 : 0;
      };
      ListModel model({step(R"({"action":"count"})"), step(R"({"action":"count"})"),
                       step(R"({"action":"finish","final_answer":"x"})")});
      const llm::Candidate llm{&model, "m", {}, {}};
      const auto result = must(react("g", llm, stage.session, stage.options));
      CHECK(result.warnings.size() == (has_limit ? 1 : 0));
      CHECK(told == (has_limit ? 1 : 0));
    }
  }

  TEST_CASE("the newest exchange is seen, whatever the window") {
    Stage stage;
    Session narrow(*stage.repository, "narrow",
                   {.principal = {}, .window_tokens = 50, .when_full = WhenFull::drop});
    int ran = 0;
    stage.add("act", [&](std::string_view) { return ++ran, gave(std::string(4'000, 'x')); });
    ListModel model(
        {calls({{"act", "{}"}, {"act", "{}"}}), calls({{"act", "{}"}}, {}, 3), llm::say("done")});
    const auto result = must(react("g", {&model, "m", {}, {}}, narrow, stage.options));
    CHECK(result.answer == "done");
    CHECK(ran == 3);
    CHECK(model.requests[1].find("\"c1\"") != std::string::npos);
    CHECK(model.requests[2].find("\"c3\"") != std::string::npos);
    CHECK(model.requests[2].find("\"c1\"") == std::string::npos);
  }

  TEST_CASE("an answer that says nothing is none") {
    const auto reason = llm::say(R"(<rationale call="1">{"why":"w"}</rationale>)");
    Stage stage;
    ListModel silent({reason, llm::say("said")});
    CHECK(find_it(stage, silent).answer == "said");
  }

  TEST_CASE("a call in the form of the model's family is made, with the schema's types") {
    Stage stage;
    stage.options.calling = Calling::text;
    stage.options.rationale = false;
    std::string arguments;
    stage.add(
        "act", [&](std::string_view given) { return arguments = given, gave("done"); },
        R"({"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}}})");
    ListModel model({llm::say("<tool_call>\n<function=act>\n<parameter=text>\n{\"a\": 1}\n"
                              "</parameter>\n<parameter=n>\n2\n</parameter>\n</function>\n"
                              "</tool_call>"),
                     llm::say("It is there.")});
    CHECK(find_it(stage, model).answer == "It is there.");
    CHECK(arguments == R"({"n":2,"text":"{\"a\": 1}"})");
  }

  TEST_CASE("a call that cannot be read is not the last answer") {
    Stage stage;
    stage.options.calling = Calling::text;
    ListModel model({llm::say("<tool_call>{\"name\": \"act\", \"argu"), llm::say("whole")});
    CHECK(find_it(stage, model).answer == "whole");
    CHECK(model.requests[1].find("cannot be read") != std::string::npos);
  }

  TEST_CASE("names that a model makes up never stand where facts do") {
    const std::string name = std::string(5'000, 'n') + "]\n";
    const std::string quoted = nlohmann::json(name).dump();
    for (const auto& [strategy, calling] :
         {std::pair{Strategy::react, Calling::json}, std::pair{Strategy::react, Calling::text},
          std::pair{Strategy::react, Calling::native},
          std::pair{Strategy::plan_and_execute, Calling::json}}) {
      const auto word = name_of(calling);  // Clang captures no binding.
      CAPTURE(word);
      Stage stage;
      stage.options.calling = calling;
      stage.options.rationale = false;
      const llm::Reply last = calling == Calling::json && strategy == Strategy::react
                                  ? step(R"({"action":"finish","final_answer":"x"})")
                                  : llm::say("x");
      llm::Reply first = step("{\"action\":" + quoted + "}");
      if (calling == Calling::text) first = step("{\"tool\":" + quoted + "}");
      if (calling == Calling::native) first = calls({{name, "{}"}});
      if (strategy == Strategy::plan_and_execute) {
        first = step("{\"plan\":[{\"action\":" + quoted +
                     "},{\"action\":\"finish\",\"final_answer\":\"x\"}]}");
      }
      ListModel model({first, strategy == Strategy::react
                                  ? last
                                  : step(R"({"plan":[{"action":"finish","final_answer":"x"}]})")});
      const PlanResult result = find_it(stage, model, strategy);
      CHECK(result.answer == "x");
      CHECK(result.steps.front().is_error);
    }
  }

  TEST_CASE("what a reply cost stands with the answer, and only there") {
    Stage stage;
    const llm::PriceList prices({llm::parse_price("list", "m", "input=1000 output=1").value()});
    stage.options.prices = &prices;
    llm::Reply reply = llm::say("x");
    reply.usage.input = 2'000;
    reply.usage.output = 0;
    reply.pieces.insert(reply.pieces.begin(), {.kind = llm::Piece::Kind::reasoning, .text = "hm"});
    reply.format = "parsed";
    ListModel model({reply});
    const PlanResult result = find_it(stage, model);
    CHECK(dollars(result.spent.cost) == "2.00");
    std::string costs;
    for (const auto& turn : stage.turns()) costs += turn.facts.json("cost_usd");
    CHECK(costs == "2.00");
  }

  TEST_CASE("a gate is asked once for each call, and what it refuses is told to the model") {
    class Counting final : public Gate {
     public:
      Verdict before(const Tool&, std::string_view) override {
        ++asked;
        return {false, "not today"};
      }
      int asked = 0;
    };
    Stage stage;
    Counting gate;
    stage.options.gate = &gate;
    Tool tool{.id = "look"};
    tool.read_only = true;
    tool.run = [](std::string_view, const ToolContext&) { return gave(""); };
    stage.add(std::move(tool));
    ListModel model({calls({{"look", "{}"}, {"look", "{}"}}), llm::say("done")});
    const PlanResult result = find_it(stage, model);
    CHECK(gate.asked == 2);
    CHECK(result.steps[0].observation == R"("error: not today")");
  }

  TEST_CASE("options that make no sense are refused before anything is written") {
    Stage stage;
    ListModel model({});
    stage.options.max_steps = -1;
    const auto refused =
        run(Strategy::react, "g", {&model, "m", {}, {}}, stage.session, stage.options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::invalid);
    CHECK_FALSE(stage.session.branch().tip().value());
  }
}

}  // namespace spoor::agent
