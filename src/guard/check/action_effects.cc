#include "guard/check/action_effects.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "guard/check/action_type.h"
#include "guard/check/event.h"
#include "trace/tool_call.h"

namespace spoor::guard::check {

namespace {

using trace::read_tool_call;
using trace::ToolCallRead;
using trace::ToolKind;

// Notes the names of files and folders that a command fetches from the network.
void note_fetched(const Command& command, const Effects& effects, std::vector<std::string>& to) {
  const bool clones = command.program == "git" && !command.operands().empty() &&
                      command.operands().front().text == "clone";
  if (command.program != "curl" && command.program != "wget" && !clones) return;
  for (const Change& change : effects.changes) {
    std::string name = base_name(change.path);
    if (name.ends_with(".git")) name.erase(name.size() - 4);
    to.push_back(std::move(name));
  }
}

bool is_fetched(const RunFile& file, const std::vector<std::string>& fetched) {
  std::string path = '/' + file.folder + '/' + file.path + '/';
  return std::any_of(fetched.begin(), fetched.end(), [&](const std::string& name) {
    return path.find('/' + name + '/') != std::string::npos;
  });
}

void add_commands(Commands found, ActionEffects& action_effects) {
  action_effects.is_whole = action_effects.is_whole && found.is_whole;
  if (!found.is_whole) {
    action_effects.unclear.emplace_back(
        "a script is too long, or nested too deeply, to be read to its end");
  }
  for (std::string& why : found.unclear) action_effects.unclear.push_back(std::move(why));
  std::vector<std::string> fetched;
  for (Command& command : found.all) {
    Effects effects = effects_of(command);
    note_fetched(command, effects, fetched);
    for (const RunFile& file : effects.runs) {
      if (!is_fetched(file, fetched)) continue;
      action_effects.unclear.push_back(
          fmt::format("nobody has read what was fetched just before '{}' runs", command.text()));
    }
    const auto add = [](auto& from, auto& to) {
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    };
    add(effects.changes, action_effects.changes);
    add(effects.hosts, action_effects.hosts);
    add(effects.runs, action_effects.runs);
    add(effects.unknown, action_effects.unclear);
    action_effects.sql += effects.sql;
    action_effects.commands.push_back(std::move(command));
  }
}

void add_call(std::string_view tool, std::string_view arguments, ActionEffects& action_effects) {
  ToolCallRead call = read_tool_call(tool, arguments);
  if (!call.folder.empty()) action_effects.folders.push_back(call.folder);
  if (call.patch.empty()) {  // The files of a patch in a command are effects of the command.
    for (std::string& path : call.changed)
      action_effects.changes.push_back({std::move(path), call.folder});
  }
  for (const std::string& script : call.scripts) {
    add_commands(commands_of_script(script, call.folder), action_effects);
  }
  for (const auto& argv : call.argvs)
    add_commands(commands_of_argv(argv, call.folder), action_effects);
  for (std::string& url : call.urls) action_effects.urls.push_back(std::move(url));
  action_effects.sql += call.sql;
  if (call.is_lost) action_effects.is_whole = false;
  if (!call.unclear.empty()) {
    ++action_effects.unread_calls;
    action_effects.unclear.push_back(std::move(call.unclear));
  } else if (call.kind == ToolKind::unknown && call.scripts.empty() && call.argvs.empty() &&
             call.changed.empty()) {
    action_effects.unknown_tools.emplace_back(tool);
  }
}

}  // namespace

const std::string* readable(const Content& content) {
  return content.has_text() ? &content.text : nullptr;
}

Content full_content(std::string text) {
  Content content;
  content.mode = Content::Mode::full;
  content.text = std::move(text);
  return content;
}

ActionEffects effects_of_action(std::string_view tool, std::string_view arguments) {
  ActionEffects action_effects;
  add_call(tool, arguments, action_effects);
  return action_effects;
}

ActionEffects effects_of_action(const DecisionEvent& event) {
  ActionEffects action_effects;
  const AgentAction& action = event.agent_action;
  using Type = AgentAction::Type;
  const bool did_nothing =
      action.type == Type::blocked || action.type == Type::no_op || action.type == Type::override_;
  if (did_nothing) return action_effects;
  for (const ToolResult& result : action.tool_results) {
    if (const std::string* arguments = readable(result.arguments)) {
      add_call(result.name, *arguments, action_effects);
    } else {
      action_effects.is_whole = false;
      ++action_effects.unread_calls;
    }
  }
  for (const Artifact& artifact : action.artifacts) {
    const bool is_change =
        artifact.type == Artifact::Type::file_edit || artifact.type == Artifact::Type::diff;
    if (!is_change || !artifact.path) continue;
    if (const std::string* path = readable(*artifact.path)) {
      const bool is_known =
          std::any_of(action_effects.changes.begin(), action_effects.changes.end(),
                      [&](const Change& change) { return change.path == *path; });
      if (!is_known) action_effects.changes.push_back({*path, ""});
    } else {
      action_effects.is_whole = false;
    }
  }
  return action_effects;
}

Outcome outcome_of(const DecisionEvent& event) {
  bool has_code = false;
  for (const Artifact& artifact : event.agent_action.artifacts) {
    if (!artifact.exit_code) continue;
    if (*artifact.exit_code != 0) return Outcome::bad;
    has_code = true;
  }
  for (const ToolResult& result : event.agent_action.tool_results) {
    if (result.is_error) return Outcome::bad;
  }
  if (has_code || !event.agent_action.tool_results.empty()) return Outcome::good;
  return Outcome::unknown;
}

DecisionEvent intended(std::string_view tool, std::string_view arguments,
                       std::string_view artifact) {
  DecisionEvent event;
  ToolResult call;
  call.name = tool;
  call.arguments = full_content(std::string(arguments));
  call.output = {};
  event.kind = EventKind::action;
  event.agent_action.type = type_of(CallSeen{.tool = std::string(tool),
                                             .arguments = std::string(arguments),
                                             .artifact = std::string(artifact)});
  event.agent_action.tool_results.push_back(std::move(call));
  return event;
}

}  // namespace spoor::guard::check
