// Events of scripted runs, read out of their commits.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/subagent.h"
#include "guard/erase/erasure.h"
#include "llm/generate.h"
#include "report/event/ids.h"
#include "report/event/projection.h"
#include "tests/agent/stage.h"
#include "tests/report/event_schema.h"
#include "trace/event_json.h"

namespace spoor::report {

using guard::erase;
using guard::plan_erasure;
using trace::AgentAction;
using trace::Artifact;
using trace::CheckStatus;
using trace::Content;
using trace::EventKind;
using trace::PromptProvenance;
using trace::Transformation;

namespace {

using agent::Gate;
using agent::gave;
using agent::PlanResult;
using agent::Strategy;
using agent::Tool;
using agent::testing::calls;
using agent::testing::ListModel;
using agent::testing::must;
using agent::testing::Stage;
using agent::testing::step;
using testing::check_event;
using Json = nlohmann::json;
using Type = AgentAction::Type;

std::vector<DecisionEvent> events_of(Stage& stage, const std::string& run) {
  std::vector<DecisionEvent> events;
  const auto found = must(agent::find_run(*stage.repository, run));
  const auto done =
      project(*stage.repository, found, found.head, {}, [&](DecisionEvent&& event) -> Result<void> {
        check_event(event);
        events.push_back(std::move(event));
        return {};
      });
  REQUIRE(done);
  return events;
}

std::vector<DecisionEvent> events_of(Stage& stage, const PlanResult& result) {
  return events_of(stage, result.run);
}

std::string types_of(const std::vector<DecisionEvent>& events) {
  std::string types;
  for (const auto& event : events) {
    types += (types.empty() ? "" : " ") + std::string(name_of(event.agent_action.type));
  }
  return types;
}

agent::ToolResult edited(std::string_view) {
  agent::ToolResult result = gave("edited");
  result.facts.set_text("artifact", "file_edit");
  result.facts.set_text("path", "a.txt");
  result.facts.set_integer("lines_added", 2);
  result.facts.set_integer("lines_removed", 1);
  result.attach.push_back({"--- a\n+++ b\n", "text/x-diff"});
  return result;
}

struct Refuse final : Gate {
  Verdict before(const Tool&, std::string_view) override { return {false, "not today", "x.y"}; }
};

}  // namespace

TEST_SUITE("report/events") {
  TEST_CASE("a run is its completions, its actions and its end, each under what asked for it") {
    Stage stage;
    stage.add("edit_file", edited, R"({"type":"object"})");
    stage.options.max_tokens_per_call = 1'024;
    stage.options.temperature = "0";
    ListModel model({calls({{"edit_file", R"({"path":"a.txt"})"}}, "I edit."), llm::say("done")});
    const auto result =
        must(agent::react("mend it", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto events = events_of(stage, result);
    REQUIRE(types_of(events) == "plan edit message message");
    const auto& [plan, edit, said, end] = std::tie(events[0], events[1], events[2], events[3]);
    const auto run = must(agent::find_run(*stage.repository, result.run));
    CHECK(end.span_id == run_span_id(run.root));
    CHECK(end.parent_span_id.empty());
    CHECK(plan.parent_span_id == end.span_id);
    CHECK(edit.parent_span_id == plan.span_id);
    CHECK(said.parent_span_id == end.span_id);
    for (const auto& event : events) CHECK(event.trace_id == trace_id_of(run.root));

    CHECK(plan.session.run_id == result.run);
    CHECK(plan.session.session_id == "main");
    CHECK(plan.session.agent_id == "agent/test");
    CHECK(plan.request.user_request_raw.text == "mend it");
    CHECK(plan.model_output->output_raw.text == "I edit.");
    CHECK(plan.model_output->tool_calls.at(0).name == "edit_file");
    CHECK(plan.agent_action.summary.text == "asks for edit_file");
    CHECK(plan.prompt_provenance.provider == "list");
    CHECK(plan.prompt_provenance.model == "m");
    CHECK(plan.prompt_provenance.max_tokens == 1'024);
    CHECK(plan.prompt_provenance.temperature == 0.0);
    CHECK(plan.prompt_provenance.attempts == 1);

    const auto& action = edit.agent_action;
    CHECK(action.summary.text == "edit_file a.txt");
    REQUIRE(action.artifacts.size() == 1);
    CHECK(action.artifacts[0].type == Artifact::Type::file_edit);
    CHECK(action.artifacts[0].path->text == "a.txt");
    CHECK(action.artifacts[0].lines_added == 2);
    CHECK(action.artifacts[0].lines_removed == 1);
    REQUIRE(action.artifacts[0].content_ref);
    CHECK(*stage.repository->reader().content(*action.artifacts[0].content_ref).value() ==
          "--- a\n+++ b\n");
    CHECK(action.tool_results.at(0).output.text == "edited");
    CHECK(action.tool_results.at(0).arguments.text == R"({"path":"a.txt"})");
    CHECK_FALSE(edit.model_output);
    CHECK(said.agent_action.summary.text == "done");
  }

  TEST_CASE("the bundle is what was sent: messages with their roles, tools, and what was done") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("a lamp"); });
    ListModel model({calls({{"look", "{}"}}), llm::say("lit")});
    const auto result =
        must(agent::react("light", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto events = events_of(stage, result);
    const auto sent = Json::parse(model.requests.at(1));
    const PromptProvenance& second = events.at(2).prompt_provenance;
    REQUIRE(second.bundle);
    REQUIRE(second.bundle->messages.size() == sent["messages"].size());
    for (std::size_t i = 0; i < second.bundle->messages.size(); ++i) {
      const auto& message = second.bundle->messages[i];
      CHECK(message.role == sent["messages"][i]["role"]);
      if (sent["messages"][i]["content"].is_string()) {
        CHECK(message.content.text == sent["messages"][i]["content"]);
      }
    }
    REQUIRE(second.bundle->tools.size() == 1);
    CHECK(second.bundle->tools[0].name == "look");
    CHECK(second.bundle->transformations.at(0).type == Transformation::Type::template_);
    CHECK(second.bundle_hash == hash_of(*second.bundle));
    // The action repeats the hash, and not the prompt.
    CHECK_FALSE(events[1].prompt_provenance.bundle);
    CHECK(events[1].prompt_provenance.bundle_hash == events[0].prompt_provenance.bundle_hash);
    CHECK(events[0].prompt_provenance.bundle_hash != second.bundle_hash);
  }

  TEST_CASE("a limit that no integer holds is not known") {
    Stage stage;
    auto& branch = stage.session.branch();
    must(branch.user("go"));
    for (const char* params : {R"({"max_tokens":1e300})", R"({"max_tokens":-1e300})"}) {
      CAPTURE(params);
      ListModel model({llm::say("done")});
      must(llm::generate(branch, {&model, "m", params, {}}, {}));
    }
    std::size_t completions = 0;
    must(project(*stage.repository, std::nullopt, *must(branch.tip()), {},
                 [&](DecisionEvent&& event) -> Result<void> {
                   CHECK(event.prompt_provenance.bundle);
                   CHECK_FALSE(event.prompt_provenance.max_tokens);
                   ++completions;
                   return {};
                 }));
    CHECK(completions == 2);
  }

  TEST_CASE("what the window left out, an edit and a summary are transformations") {
    Stage stage;
    auto& branch = stage.session.branch();
    const Oid first = must(branch.user("an old question"));
    must(branch.assistant("an old answer"));
    must(branch.edit(first, "another question"));
    ListModel model({llm::say("done")});
    const auto result =
        must(agent::react("go", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto events = events_of(stage, result);
    bool is_told = false;
    for (const auto& one : events.at(0).prompt_provenance.bundle->transformations) {
      is_told = is_told ||
                (one.type == Transformation::Type::rewrite && one.summary == "1 turn was edited");
    }
    CHECK(is_told);
    CHECK(events[0].prompt_provenance.bundle->messages.at(0).content.text == "another question");
  }

  TEST_CASE("a refused call is blocked, and made nothing") {
    Stage stage;
    stage.add("edit_file", edited);
    Refuse gate;
    stage.options.gate = &gate;
    ListModel model({calls({{"edit_file", "{}"}, {"nosuch", "{}"}}), llm::say("end")});
    const auto result =
        must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto events = events_of(stage, result);
    CHECK(types_of(events) == "plan blocked blocked message message");
    CHECK(events[1].agent_action.artifacts.empty());
    CHECK(events[1].agent_action.tool_results.at(0).is_error);
  }

  TEST_CASE("calls in JSON and steps of a plan have their arguments") {
    Stage stage;
    stage.options.calling = agent::Calling::json;
    stage.add("run_command", [](std::string_view) {
      agent::ToolResult result = gave("ok");
      result.facts.set_text("artifact", "command");
      result.facts.set_integer("exit_code", 0);
      return result;
    });
    SUBCASE("react") {
      ListModel model(
          {step(R"({"action":"run_command","action_input":{"argv":["git","merge","topic"]}})"),
           step(R"({"action":"finish","final_answer":"x"})")});
      const auto result =
          must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
      const auto events = events_of(stage, result);
      REQUIRE(types_of(events) == "plan merge message message");
      CHECK(events[0].model_output->tool_calls.at(0).name == "run_command");
      CHECK(events[0].model_output->output_structured->text.starts_with(R"({"action":)"));
      CHECK(events[1].agent_action.artifacts.at(0).exit_code == 0);
      CHECK(events[1].agent_action.artifacts.at(0).summary.text == "git merge topic");
    }
    SUBCASE("plan") {
      ListModel model({step(
          R"({"plan":[{"action":"run_command","action_input":{"argv":["ls"]},"rationale":"r"},)"
          R"({"action":"run_command","action_input":{"argv":["ctest"]},"rationale":"r"},)"
          R"({"action":"finish","final_answer":"x"}]})")});
      const auto result = must(agent::run(Strategy::plan_and_execute, "g", {&model, "m", {}, {}},
                                          stage.session, stage.options));
      const auto events = events_of(stage, result);
      REQUIRE(types_of(events) == "plan command run_tests message");
      CHECK(events[1].parent_span_id == events[0].span_id);
      CHECK(events[2].parent_span_id == events[0].span_id);
      CHECK(events[1].span_id != events[2].span_id);
    }
  }

  TEST_CASE("a critic's verdicts stand before what followed them") {
    Stage stage;
    stage.options.calling = agent::Calling::json;
    const std::string finish = R"({"action":"finish","final_answer":"x"})";
    ListModel model({step(finish), step(R"({"verdict":"retry","critique":"again"})"), step(finish),
                     step(R"({"verdict":"accept"})")});
    const auto result = must(
        agent::run(Strategy::reflexion, "g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto events = events_of(stage, result);
    REQUIRE(types_of(events) == "message message message message message");
    CHECK(events[1].model_output->output_structured->text.find("retry") != std::string::npos);
    CHECK(events[3].model_output->output_structured->text.find("accept") != std::string::npos);
    CHECK(events[4].kind == EventKind::end);
  }

  TEST_CASE("an agent that was called is in the trace of its caller, whichever way it is read") {
    Stage stage;
    ListModel helper({llm::say("42")});
    agent::SubagentSettings settings;
    settings.llm = {&helper, "h", {}, {}};
    settings.repository = stage.repository.get();
    settings.branch = "helper";
    stage.add(make_subagent(settings));
    ListModel model({calls({{"delegate", R"({"goal":"add"})"}}), llm::say("end")});
    const auto result =
        must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto events = events_of(stage, result);
    REQUIRE(types_of(events) == "plan message message other message message");
    CHECK(events[1].parent_span_id == events[2].span_id);
    CHECK(events[2].parent_span_id == events[3].span_id);
    CHECK(events[3].parent_span_id == events[0].span_id);
    for (const auto& event : events) CHECK(event.trace_id == events[0].trace_id);
    const auto alone = events_of(stage, events[1].session.run_id);
    REQUIRE(alone.size() == 2);
    CHECK(to_json(alone[0]) == to_json(events[1]));
    CHECK(to_json(alone[1]) == to_json(events[2]));
  }

  TEST_CASE("a model call that failed has its event, with its bundle and its attempts") {
    Stage stage;
    llm::Reply failure =
        llm::fail({.kind = llm::Failure::Kind::overloaded, .status = 529, .message = "no room"});
    failure.attempts = 3;
    ListModel model({failure});
    const auto result =
        must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto events = events_of(stage, result);
    REQUIRE(types_of(events) == "other no_op");
    CHECK(events[0].kind == EventKind::failed_call);
    CHECK(events[0].prompt_provenance.attempts == 3);
    CHECK(events[0].prompt_provenance.bundle);
    CHECK(events[0].agent_action.summary.text == "the call of a model failed: overloaded (529)");
    CHECK(events[1].agent_action.summary.text == "the run stopped: error");
  }

  TEST_CASE("what was judged of an action is with it, and an overriding word is an event") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("x"); });
    ListModel model({calls({{"look", "{}"}}), llm::say("end")});
    const auto result =
        must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto before = events_of(stage, result);
    const Oid action = before.at(1).commit;
    must(guard::check::record(
        *stage.repository,
        {guard::check::persons_judgement(action, CheckStatus::fail, "no", false),
         guard::check::persons_judgement(action, CheckStatus::pass, "yes", true)},
        "judge"));
    const auto judgements = must(guard::check::read_evaluations(*stage.repository));
    EventOptions options;
    options.judgements = &judgements;
    std::vector<DecisionEvent> events;
    const auto run = must(agent::find_run(*stage.repository, result.run));
    REQUIRE(project(*stage.repository, run, run.head, options,
                    [&](DecisionEvent&& event) -> Result<void> {
                      check_event(event);
                      events.push_back(std::move(event));
                      return {};
                    }));
    REQUIRE(types_of(events) == "plan other override message message");
    CHECK(events[1].evaluation.alignment == CheckStatus::pass);
    CHECK(events[2].parent_span_id == events[1].span_id);
    CHECK(events[2].agent_action.summary.text == "agent/test: pass");
    CHECK(events[0].evaluation.alignment == CheckStatus::unknown);
  }

  TEST_CASE("what was erased is said to be, and not what it said") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("a secret"); });
    ListModel model({calls({{"look", "{}"}}), llm::say("end")});
    const auto result =
        must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto before = events_of(stage, result);
    const auto plan = must(plan_erasure(*stage.repository, std::array{before.at(1).commit}));
    must(erase(*stage.repository, plan, "asked for", {}));
    stage.repository->drop_caches();
    const auto events = events_of(stage, result);
    CHECK(events.at(1).agent_action.tool_results.at(0).output.mode == Content::Mode::erased);
    CHECK(to_json(events.at(2)).find("a secret") == std::string::npos);
  }

  TEST_CASE("a run that went on has one event with its own span") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("x"); });
    stage.options.max_steps = 1;
    ListModel model({calls({{"look", "{}"}}), llm::say("end")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto first = must(agent::react("g", llm, stage.session, stage.options));
    const auto before = events_of(stage, first);
    stage.options.max_steps = 5;
    must(agent::resume(first.run, llm, stage.session, stage.options, {}));
    const auto events = events_of(stage, first);
    REQUIRE(types_of(events) == "plan other no_op message message");
    CHECK(events[4].parent_span_id == events[2].span_id);
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(to_json(events[i]) == to_json(before[i]));
  }

  TEST_CASE("a branch of several runs gives the events that they give alone") {
    Stage stage;
    ListModel model({llm::say("one"), llm::say("two")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto first = must(agent::react("g", llm, stage.session, stage.options));
    stage.clock->advance(1);
    const auto second = must(agent::react("h", llm, stage.session, stage.options));
    std::vector<std::string> apart;
    for (const auto& run : {first.run, second.run}) {
      for (const auto& event : events_of(stage, run)) apart.push_back(to_json(event));
    }
    std::vector<std::string> together;
    const Oid tip = *must(stage.session.branch().tip());
    REQUIRE(project(*stage.repository, std::nullopt, tip, {},
                    [&](DecisionEvent&& event) -> Result<void> {
                      together.push_back(to_json(event));
                      return {};
                    }));
    CHECK(together == apart);
  }

  TEST_CASE("read in pieces it gives what it gives at once") {
    Stage stage;
    stage.add("look", [](std::string_view) { return gave("x"); });
    ListModel model(
        {calls({{"look", "{}"}, {"look", "{}"}}), calls({{"look", "{}"}}, {}, 7), llm::say("end")});
    const auto result =
        must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto run = must(agent::find_run(*stage.repository, result.run));
    std::vector<Oid> line;
    REQUIRE(stage.repository->reader().run(run.head, 1'000, [&](const store::NamedCommit& commit) {
      line.insert(line.begin(), commit.oid);
      return commit.oid != run.root;
    }));
    std::vector<std::string> pieces;
    const Projection::Sink sink = [&](DecisionEvent&& event) -> Result<void> {
      pieces.push_back(to_json(event));
      return {};
    };
    Projection projection(*stage.repository, run);
    for (const Oid& head : line) REQUIRE(projection.advance(head, run.critic, sink));
    REQUIRE(projection.finish(sink));
    std::vector<std::string> whole;
    for (const auto& event : events_of(stage, result)) whole.push_back(to_json(event));
    CHECK(pieces == whole);
  }

  TEST_CASE("what a source does not tell is unknown, and never made up") {
    Stage stage;
    auto& branch = stage.session.branch();
    must(branch.user("mend it"));
    const auto answer = [&](std::string text, std::vector<compile::ToolCall> wanted) {
      compile::Turn turn{.type = compile::Type::assistant, .text = std::move(text)};
      if (!wanted.empty()) turn.fields.tool_calls = std::move(wanted);
      turn.facts.set_text("message_id", "msg_1");
      turn.facts.set_text("source", "claude-code");
      must(branch.commit(turn));
    };
    answer("First ", {});
    answer("a look.", {{"t1", "Bash", R"({"command":"cargo test"})"}});
    const auto result = [&](std::string text, std::string id, std::string name) {
      compile::Turn turn{.type = compile::Type::tool, .text = std::move(text)};
      turn.fields.call_id = std::move(id);
      turn.fields.name = std::move(name);
      turn.fields.is_error = true;
      turn.facts.set_text("source", "claude-code");
      must(branch.commit(turn));
    };
    result("Exit code 1\nno", "t1", "Bash");
    answer("", {{"t2", "Edit", R"({"file_path":"x"})"}});
    result("The user doesn't want to proceed with this tool use. No.", "t2", "Edit");
    std::vector<DecisionEvent> events;
    REQUIRE(project(*stage.repository, std::nullopt, *must(branch.tip()), {},
                    [&](DecisionEvent&& event) -> Result<void> {
                      check_event(event);
                      events.push_back(std::move(event));
                      return {};
                    }));
    REQUIRE(types_of(events) == "plan run_tests blocked");
    CHECK(events[0].model_output->output_raw.text == "First a look.");
    CHECK(events[0].model_output->tool_calls.size() == 2);
    CHECK(events[0].prompt_provenance.bundle_hash == "unknown");
    CHECK(events[0].session.session_id == "unknown");
    CHECK(events[0].request.user_request_raw.text == "mend it");
    const Json json = Json::parse(to_json(events[0]));
    CHECK(json["prompt_provenance"]["prompt_bundle"] == "unknown");
    CHECK(json["prompt_provenance"]["attempts"].is_null());
    CHECK(json["prompt_provenance"]["provider"] == "unknown");
    CHECK(events[1].parent_span_id == events[0].span_id);
    CHECK(events[2].parent_span_id == events[0].span_id);
    CHECK(events[1].agent_action.artifacts.at(0).exit_code == 1);
  }
}

}  // namespace spoor::report
