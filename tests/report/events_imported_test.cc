// Events of sessions that other programs wrote, as their imports stand in the graph.
#include <doctest/doctest.h>

#include <ctime>
#include <map>

#include "report/event/projection.h"
#include "tests/agent/stage.h"
#include "tests/report/event_schema.h"
#include "trace/event_json.h"

namespace spoor::report {

using trace::AgentAction;
using trace::Artifact;
using trace::EventKind;

namespace {

using agent::testing::must;
using agent::testing::Stage;
using testing::check_event;
using Type = AgentAction::Type;

// A session of Claude Code, turn by turn.
class Imported {
 public:
  void ask(std::string text) { must(stage.session.branch().user(std::move(text))); }

  void answer(const std::string& message, std::string text,
              std::vector<compile::ToolCall> wanted = {}) {
    compile::Turn turn{.type = compile::Type::assistant, .text = std::move(text)};
    if (!wanted.empty()) turn.fields.tool_calls = std::move(wanted);
    turn.facts.set_text("message_id", message);
    turn.facts.set_text("source", "claude-code");
    turn.facts.set_json("usage", R"({"input_tokens":5,"output_tokens":7})");
    must(stage.session.branch().commit(turn));
  }

  void result(const std::string& call, std::string text, bool is_error = false) {
    compile::Turn turn{.type = compile::Type::tool, .text = std::move(text)};
    turn.fields.call_id = call;
    turn.fields.is_error = is_error;
    turn.facts.set_text("source", "claude-code");
    must(stage.session.branch().commit(turn));
  }

  // A call and its result.
  void call(const std::string& tool, std::string arguments, std::string text, bool is_error) {
    const std::string id = "t" + std::to_string(++calls_);
    answer("m-" + id, "", {{id, tool, std::move(arguments)}});
    result(id, std::move(text), is_error);
  }

  std::vector<DecisionEvent> events() {
    std::vector<DecisionEvent> all;
    const Oid head = *must(stage.session.branch().tip());
    must(project(*stage.repository, std::nullopt, head, {},
                 [&](DecisionEvent&& event) -> Result<void> {
                   check_event(event);
                   all.push_back(std::move(event));
                   return {};
                 }));
    return all;
  }

  Stage stage;

 private:
  int calls_ = 0;
};

std::string artifacts_of(const DecisionEvent& event) {
  std::string names;
  for (const Artifact& artifact : event.agent_action.artifacts) {
    names += (names.empty() ? "" : " ") + std::string(name_of(artifact.type));
  }
  return names;
}

}  // namespace

TEST_SUITE("report/events_imported") {
  TEST_CASE("what failed made nothing but itself") {
    Imported session;
    session.ask("go");
    const std::string edit = R"({"file_path":"a.txt","old_string":"a","new_string":"b"})";
    const std::string commit = R"({"command":"git commit -m x"})";
    const std::string request = R"({"command":"gh pr create --fill"})";
    const std::string url = "https://example.org/o/r/pull/12";
    session.call("Edit", edit, "edited", false);
    session.call("Edit", edit, "String to replace not found", true);
    session.call("Bash", commit, "[main 1a2b3c4] x", false);
    session.call("Bash", commit, "Exit code 1\n[main 1a2b3c4] said by a hook", true);
    session.call("Bash", request, url, false);
    session.call("Bash", request, "Exit code 1\n" + url + " already exists", true);
    session.call("Bash", request, "opened", false);
    session.call("Bash", R"({"command":"gh pr create --dry-run"})", url, false);
    session.call("Bash", R"({"command":"cat notes"})", "Exit code 7 means a full disk", false);
    const auto events = session.events();
    std::vector<std::string> made;
    for (const DecisionEvent& event : events) {
      if (event.kind == EventKind::action) made.push_back(artifacts_of(event));
    }
    const std::vector<std::string> expected = {"file_edit", "",           "command commit",
                                               "command",   "command pr", "command",
                                               "command",   "command",    "command"};
    CHECK(made == expected);
    CHECK(events.at(7).agent_action.artifacts.at(0).exit_code == 1);
    CHECK_FALSE(events.back().agent_action.artifacts.at(0).exit_code);
  }

  TEST_CASE("a call of which an exit code is told that is not 0 has failed, error or not") {
    Imported session;
    session.ask("go");
    const auto result = [&session](const std::string& tool, std::string text, const char* source,
                                   const char* code) {
      const std::string id = "c" + tool + code;
      session.answer("m-" + id, "", {{id, tool, R"({"cmd":"cargo test"})"}});
      compile::Turn turn{.type = compile::Type::tool, .text = std::move(text)};
      turn.fields.call_id = id;
      turn.facts.set_text("source", source);
      if (*code != '\0') turn.facts.set_json("exit_code", code);
      must(session.stage.session.branch().commit(turn));
      return session.events().back();
    };
    const DecisionEvent told = result("bash", "no", "mini-swe-agent", "65");
    CHECK(told.agent_action.artifacts.at(0).exit_code == 65);
    CHECK(told.agent_action.tool_results.at(0).is_error);
    CHECK(told.error_type == "tool_error");
    const DecisionEvent good = result("bash", "yes", "mini-swe-agent", "0");
    CHECK(good.agent_action.artifacts.at(0).exit_code == 0);
    CHECK_FALSE(good.agent_action.tool_results.at(0).is_error);
    const std::string text = "Wall time: 1 seconds\nProcess exited with code 101\nOutput:\nno";
    const DecisionEvent said = result("exec_command", text, "codex", "");
    CHECK(said.agent_action.artifacts.at(0).exit_code == 101);
    CHECK(said.agent_action.tool_results.at(0).is_error);
    const DecisionEvent edit =
        result("apply_patch", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno", "codex", "");
    CHECK(edit.agent_action.artifacts.empty());
    CHECK(edit.agent_action.tool_results.at(0).is_error);
  }

  TEST_CASE("a summary that says what it took is an event, however it stands there") {
    Imported session;
    session.ask("go");
    session.answer("m1", "gone");
    compile::Turn summary{.type = compile::Type::summary, .text = "it went"};
    summary.facts.set_json("usage", R"({"inputOther":1411,"output":937,"inputCacheRead":40960})");
    summary.facts.set_text("model", "pear-3");
    graph::Repository& repository = *session.stage.repository;
    const std::string main = "refs/heads/main";
    const Oid asked = *must(session.stage.session.branch().tip());
    must(repository.transact("compress", graph::OnConflict::fail,
                             [&](graph::Draft& draft) -> Result<void> {
                               TRY(draft.compress(main, {.from = asked, .to = asked}, summary, {}));
                               return {};
                             }));
    must(session.stage.session.branch().commit(summary));
    summary.facts = {};
    must(session.stage.session.branch().commit(summary));
    const auto events = session.events();
    REQUIRE(events.size() == 3);
    for (std::size_t i = 1; i < events.size(); ++i) {
      CAPTURE(i);
      CHECK(events[i].kind == EventKind::completion);
      CHECK(events[i].agent_action.type == Type::other);
      CHECK(events[i].model_output->input_tokens == 42'371);
      CHECK(events[i].model_output->output_tokens == 937);
      CHECK(events[i].model_output->output_raw.text == "it went");
      CHECK(events[i].prompt_provenance.model == "pear-3");
    }
  }

  TEST_CASE("a message in many records is one answer, made once") {
    Imported session;
    session.ask("go");
    session.answer("m1", R"({"a":)");
    for (int i = 0; i < 3'000; ++i) session.answer("m1", std::string(2'000, ' '));
    session.answer("m1", "1}");
    const std::clock_t begin = std::clock();
    const auto events = session.events();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    CHECK(seconds < 4);  // A text that is made anew with each record takes many times that.
    REQUIRE(events.size() == 1);
    CHECK(events[0].model_output->output_raw.text.size() == 6'000'000 + 7);
    CHECK(events[0].model_output->output_structured->text == R"({"a":1})");
  }

  TEST_CASE("what the first record says alone is not what the message says") {
    Imported session;
    session.answer("m1", R"({"a":1})");
    session.answer("m1", " and more");
    const auto events = session.events();
    CHECK_FALSE(events.at(0).model_output->output_structured);
  }

  TEST_CASE("however many calls wait, each result finds its own") {
    Imported session;
    std::vector<compile::ToolCall> wanted;
    for (int i = 0; i < 10'050; ++i) wanted.push_back({"t" + std::to_string(i), "Bash", "{}"});
    session.answer("m1", "", wanted);
    for (const char* call : {"t0", "t9999", "t10049"}) session.result(call, "ok");
    const auto events = session.events();
    REQUIRE(events.size() == 4);
    for (std::size_t i = 1; i < events.size(); ++i) {
      CHECK(events[i].parent_span_id == events[0].span_id);
    }
  }

  TEST_CASE("a message that another one came into says once what it cost") {
    Imported session;
    session.answer("m1", "one");
    session.answer("m2", "between");
    session.answer("m1", "two");
    session.answer("m1", " three");
    const auto events = session.events();
    REQUIRE(events.size() == 3);
    CHECK(events[0].model_output->input_tokens == 5);
    CHECK(events[1].model_output->input_tokens == 5);
    CHECK(events[2].model_output->completion_id == "m1");
    CHECK(events[2].model_output->output_raw.text == "two three");
    CHECK_FALSE(events[2].model_output->input_tokens);
    CHECK_FALSE(events[2].model_output->output_tokens);
  }

  TEST_CASE("no event names a parent that is none") {
    Imported session;
    session.ask("go");
    session.call("Bash", R"({"command":"ls"})", "ok", false);
    session.result("nobody asked", "ok");
    session.answer("m1", "done");
    const auto events = session.events();
    REQUIRE(events.size() == 4);
    CHECK(events[0].parent_span_id.empty());
    CHECK(events[1].parent_span_id == events[0].span_id);
    CHECK(events[2].parent_span_id.empty());
    CHECK(events[3].parent_span_id.empty());
    for (const auto& event : events) {
      CHECK(event.trace_id == events[0].trace_id);
      CHECK(event.run_span == events[0].run_span);
    }
  }
}

}  // namespace spoor::report
