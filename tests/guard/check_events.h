#pragma once

#include <string>
#include <vector>

#include "base/json/writer.h"
#include "guard/check/action_effects.h"

// Events as tests of checks need them.
namespace spoor::guard::check {

using trace::AgentAction;
using trace::Artifact;
using trace::CheckResult;
using trace::Violation;

/// Of a shell's script, by an imported agent's tool.
inline DecisionEvent of_script(const std::string& script) {
  json::Object arguments;
  arguments.add_string("command", script);
  return intended("Bash", arguments.write());
}

/// Of our own `run_command`.
inline DecisionEvent of_argv(const std::vector<std::string>& argv) {
  json::Object arguments;
  arguments.add_json("argv", json::write_strings(argv));
  return intended("run_command", arguments.write());
}

inline DecisionEvent of_edit(const std::string& path) {
  json::Object arguments;
  arguments.add_string("path", path);
  arguments.add_string("content", "x");
  return intended("write_file", arguments.write());
}

/// An answer that says this.
inline DecisionEvent of_answer(std::string text) {
  DecisionEvent event;
  event.agent_action.type = AgentAction::Type::message;
  event.model_output.emplace();
  event.model_output->output_raw = full_content(std::move(text));
  return event;
}

/// The same action, which ended with this exit code.
inline DecisionEvent ended(DecisionEvent event, std::int64_t exit_code,
                           AgentAction::Type type = AgentAction::Type::command) {
  event.agent_action.type = type;
  event.agent_action.tool_results.front().is_error = exit_code != 0;
  event.agent_action.tool_results.front().output = full_content("");
  Artifact artifact;
  artifact.exit_code = exit_code;
  event.agent_action.artifacts.push_back(artifact);
  return event;
}

/// The ids of what was found, in order and each once, with blanks between them; `-`: it had nothing
/// to say.
inline std::string ids_of(const std::optional<CheckResult>& result) {
  if (!result) return "-";
  std::string ids;
  for (const Violation& violation : result->violations) {
    if ((' ' + ids + ' ').find(' ' + violation.id + ' ') != std::string::npos) continue;
    ids += (ids.empty() ? "" : " ") + violation.id;
  }
  return ids;
}

}  // namespace spoor::guard::check
