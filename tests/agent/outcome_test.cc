#include <string>

#include <doctest/doctest.h>

#include "tests/agent/stage.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::agent::testing;
using llm::Failure;
using llm::Reply;

namespace {

Reply ended(Reply reply, std::string how) {
  reply.finish_reason = std::move(how);
  return reply;
}

Reply cut_off(std::string text, Failure::Kind kind) {
  Reply reply = llm::say(std::move(text));
  reply.failure = Failure{.kind = kind, .message = "the connection ended"};
  return reply;
}

PlanResult reached(Stage& stage, ListModel& model, Strategy strategy = Strategy::react) {
  stage.options.rationale = false;
  return must(run(strategy, "g", {&model, "m", {}, {}}, stage.session, stage.options));
}

}  // namespace

TEST_SUITE("agent/outcome") {
  TEST_CASE("a refusal is no achieved goal, by whatever name it comes") {
    struct Case {
      const char* word;
      const char* by;
    };
    for (const Case& one :
         {Case{"refusal", "refusal"}, Case{"content_filter", "content_filter"},
          Case{"SAFETY", "content_filter"}, Case{"PROHIBITED_CONTENT", "content_filter"}}) {
      CAPTURE(one.word);
      for (const Strategy strategy :
           {Strategy::react, Strategy::plan_and_execute, Strategy::reflexion}) {
        Stage stage;
        ListModel model({ended(llm::say("I cannot help with that."), one.word)});
        const PlanResult result = reached(stage, model, strategy);
        CHECK(result.stopped == Stopped::refused);
        CHECK(result.by == one.by);
        CHECK(!result.answer);
        CHECK(result.error.value_or("").find("I cannot help") != std::string::npos);
        CHECK(model.requests.size() == 1);
      }
    }
    Stage stage;
    Reply declined = llm::say("No.");
    declined.is_refusal = true;  // OpenAI: the finish reason is `stop`.
    ListModel model({declined});
    CHECK(reached(stage, model).stopped == Stopped::refused);
  }

  TEST_CASE("the calls of a refusal are not made") {
    Stage stage;
    int ran = 0;
    stage.add("act", [&](std::string_view) { return ++ran, gave("x"); });
    ListModel model({ended(calls({{"act", "{}"}}), "refusal")});
    CHECK(reached(stage, model).stopped == Stopped::refused);
    CHECK(ran == 0);
  }

  TEST_CASE("a refused run is resumed by asking again, without the refusal") {
    Stage stage;
    ListModel model({ended(llm::say("I cannot."), "refusal")});
    const PlanResult first = reached(stage, model);
    ListModel willing({llm::say("done")});
    const auto second = must(
        resume(first.run, {&willing, "m", {}, {}}, stage.session, stage.options, ResumeOptions{}));
    CHECK(second.stopped == Stopped::goal_achieved);
    CHECK(second.answer == "done");
    CHECK(willing.requests.at(0).find("I cannot.") == std::string::npos);
  }

  TEST_CASE("a paused answer is sent back as it is, and goes on") {
    Stage stage;
    ListModel model({ended(llm::say("Searching"), "pause_turn"), llm::say("found")});
    const PlanResult result = reached(stage, model);
    CHECK(result.answer == "Searching\n\nfound");
    CHECK(model.requests.at(1).find("Searching") != std::string::npos);
    CHECK(model.requests.at(1).find("could not be read") == std::string::npos);
  }

  TEST_CASE("a final answer that reached its limit is continued") {
    Stage stage;
    ListModel model({ended(llm::say("The result is fo"), "length"),
                     ended(llm::say("rty-"), "max_tokens"), llm::say("two.")});
    const PlanResult result = reached(stage, model);
    CHECK(result.stopped == Stopped::goal_achieved);
    CHECK(result.answer == "The result is forty-two.");
    CHECK(model.requests.at(1).find("exactly where it ended") != std::string::npos);

    // Replayed, it ends the same.
    const auto replayed =
        must(replay(result.run, {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(replayed.divergences.empty());
    CHECK(replayed.result.answer == result.answer);
  }

  TEST_CASE("answers that never end are not paid for for ever") {
    Stage stage;
    stage.options.max_steps = 50;
    ListModel model(std::vector<Reply>(50, ended(llm::say("and "), "length")));
    const PlanResult result = reached(stage, model);
    CHECK(result.stopped == Stopped::error);
    CHECK(result.by == "truncated");
    CHECK(result.answer == "and and and and ");
    CHECK(model.requests.size() == 4);
  }

  TEST_CASE("a call that reached the limit is not made, and the model is told why") {
    Stage stage;
    int ran = 0;
    stage.add("act", [&](std::string_view) { return ++ran, gave("x"); });
    ListModel model({ended(calls({{"act", R"({"text":"half a fi)"}}), "max_tokens"),
                     calls({{"act", "{}"}}, {}, 2), llm::say("done")});
    const PlanResult result = reached(stage, model);
    CHECK(result.answer == "done");
    CHECK(ran == 1);
    CHECK(model.requests.at(1).find("in the middle of this call") != std::string::npos);

    Stage other;
    other.options.max_steps = 50;
    other.add("act", [](std::string_view) { return gave("x"); });
    std::vector<Reply> all;
    for (int i = 1; i <= 50; ++i) {
      all.push_back(ended(calls({{"act", R"({"text":"half)"}}, {}, i), "max_tokens"));
    }
    ListModel endless(std::move(all));
    const PlanResult given_up = reached(other, endless);
    CHECK(given_up.by == "truncated");
    CHECK(endless.requests.size() == 4);
  }

  TEST_CASE("an answer that its server left in gpt-oss's form is told without its tokens") {
    Stage stage;
    ListModel model(
        {llm::say("<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant"
                  "<|channel|>final<|message|>It is 4.<|return|>")});
    const PlanResult result = reached(stage, model);
    CHECK(result.stopped == Stopped::goal_achieved);
    CHECK(result.answer == "It is 4.");
  }

  TEST_CASE("a call written as text is no final answer of a model that makes native calls") {
    const std::string written = R"(<tool_call>{"name": "act", "arguments": {}}</tool_call>)";
    Stage stage;
    ListModel model({llm::say(written), llm::say("done")});
    CHECK(reached(stage, model).answer == "done");
    CHECK(model.requests.at(1).find("Use the tool itself") != std::string::npos);
    // Asked again, a model whose calls came natively means it; of another it is still a call.
    for (const bool has_called : {true, false}) {
      Stage other;
      other.add("act", [](std::string_view) { return gave("x"); });
      std::vector<Reply> replies;
      if (has_called) replies.push_back(calls({{"act", "{}"}}));
      replies.insert(replies.end(), {llm::say(written), llm::say("Write " + written)});
      ListModel sure(std::move(replies));
      const PlanResult result = reached(other, sure);
      CHECK(result.by == (has_called ? "final_answer" : "malformed"));
      if (has_called) CHECK(result.answer == "Write " + written);
    }
    // In any form of a call that would be made as text.
    for (const char* call :
         {"[act(x=1)]", R"({"name":"act","parameters":{}})", R"(<|tool_call|>[{"name":"act"}])",
          "<start_function_call>call:act{}<end_function_call>",
          R"(<|START_ACTION|>[{"tool_name":"act","parameters":{}}]<|END_ACTION|>)"}) {
      CAPTURE(call);
      Stage other;
      other.add("act", [](std::string_view) { return gave("x"); });
      ListModel one({llm::say(call), llm::say("done")});
      CHECK(reached(other, one).answer == "done");
    }
  }

  TEST_CASE("an answer that shows an object with a name is an answer") {
    for (const char* text : {"It is:\n```json\n{\"name\": \"left-pad\"}\n```\nThat is all.",
                             R"([{"name":"Ann","age":3}])", R"({"tool":"hammer","weight":3})"}) {
      CAPTURE(text);
      Stage stage;
      stage.add("act", [](std::string_view) { return gave("x"); });
      ListModel model({llm::say(text)});
      CHECK(reached(stage, model).answer == text);
    }
  }

  TEST_CASE("a run is resumed by the rules under which it began") {
    Stage stage;
    stage.options.max_steps = 1;
    ListModel first({ended(llm::say("half an ans"), "MALFORMED_FUNCTION_CALL")});
    const PlanResult stopped = reached(stage, first);
    CHECK(stopped.stopped == Stopped::max_steps);
    ListModel second({ended(llm::say("half"), "MALFORMED_FUNCTION_CALL")});
    stage.options.max_steps = 5;
    const PlanResult result =
        must(resume(stopped.run, {&second, "m", {}, {}}, stage.session, stage.options, {}));
    CHECK(result.stopped == Stopped::error);
    CHECK(result.by == "malformed");
    CHECK(second.requests.size() == 1);
  }

  TEST_CASE("an answer that broke off is asked for again, with whatever text it has") {
    for (const char* word : {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER", "error",
                             "insufficient_system_resource", "TOO_MANY_TOOL_CALLS"}) {
      CAPTURE(word);
      Stage stage;
      ListModel model({ended(llm::say("half an ans"), word), llm::say("all of it")});
      CHECK(reached(stage, model).answer == "all of it");
      Stage twice;
      ListModel again({ended(llm::say("half"), word), ended(llm::say("half"), word)});
      CHECK(reached(twice, again).by == "malformed");
    }
  }

  TEST_CASE("a plan that pauses in its middle is put together") {
    Stage stage;
    stage.add("act", [](std::string_view) { return gave("x"); });
    ListModel model({ended(llm::say("{\"plan\":[{\"action\":\"act\"},"), "pause_turn"),
                     llm::say(R"({"action":"finish","final_answer":"done"}]})")});
    CHECK(reached(stage, model, Strategy::plan_and_execute).answer == "done");
  }

  TEST_CASE("a nudge counts for its own step") {
    const auto tool = [] { return calls({{"act", "{}"}}); };
    const auto empty = [] { return llm::say(""); };
    for (const std::int64_t most : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}}) {
      CAPTURE(most);
      Stage stage;
      stage.options.nudges_per_step = most;
      stage.add("act", [](std::string_view) { return gave("x"); });
      ListModel model({empty(), tool(), empty(), llm::say("done")});
      const PlanResult result = reached(stage, model);
      CHECK(result.by == (most == 0 ? "malformed" : "final_answer"));
    }
    Stage stage;
    stage.options.nudges_per_step = 2;
    ListModel model({empty(), empty(), llm::say("at last")});
    CHECK(reached(stage, model).answer == "at last");
  }

  TEST_CASE("an answer that was cut off on its way is asked for again") {
    for (const Failure::Kind kind : {Failure::Kind::network, Failure::Kind::timeout,
                                     Failure::Kind::overloaded, Failure::Kind::server}) {
      CAPTURE(name_of(kind));
      Stage stage;
      ListModel model({cut_off("half an ans", kind), llm::say("whole")});
      const PlanResult result = reached(stage, model);
      CHECK(result.answer == "whole");
      CHECK(model.requests.size() == 2);
      // What arrived is kept, and not shown.
      CHECK(model.requests.at(1) == model.requests.at(0));
      const auto again =
          must(replay(result.run, {&model, "m", {}, {}}, stage.session, stage.options));
      CHECK(again.divergences.empty());
      CHECK(again.is_whole);
    }
    Stage stage;
    ListModel model({cut_off("a", Failure::Kind::network), cut_off("b", Failure::Kind::network),
                     cut_off("c", Failure::Kind::network), cut_off("d", Failure::Kind::network),
                     llm::say("too late")});
    const PlanResult result = reached(stage, model);
    CHECK(result.stopped == Stopped::error);
    CHECK(result.by == "provider");
    CHECK(model.requests.size() == 4);
    Stage other;
    ListModel stopped({cut_off("a", Failure::Kind::malformed), llm::say("not asked")});
    CHECK(reached(other, stopped).by == "provider");
  }

  TEST_CASE("a run asks for as long an answer as the model writes, and for no temperature") {
    Stage stage;
    ListModel model({llm::say("done")});
    (void)reached(stage, model);
    CHECK(model.requests.at(0).find("temperature") == std::string::npos);
    CHECK(model.requests.at(0).find("max_") == std::string::npos);
    Stage other;
    other.options.temperature = "0";
    other.options.max_tokens_per_call = 77;
    other.options.effort = "low";
    ListModel asked({llm::say("done")});
    (void)reached(other, asked);
    CHECK(asked.requests.at(0).find(R"("temperature":0)") != std::string::npos);
    CHECK(asked.requests.at(0).find(R"("reasoning_effort":"low")") != std::string::npos);
    CHECK(asked.requests.at(0).find("77") != std::string::npos);
  }
}
