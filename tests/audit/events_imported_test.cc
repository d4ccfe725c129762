// Events of sessions that other programs wrote, as their imports stand in the graph.
#include <doctest/doctest.h>

#include <map>

#include "audit/event/json.h"
#include "audit/event/projection.h"
#include "tests/agent/stage.h"
#include "tests/audit/event_schema.h"

namespace spoor::audit {
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

TEST_SUITE("audit/events_imported") {
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
}

}  // namespace spoor::audit
