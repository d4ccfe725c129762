#include "audit/check/deeds.h"

#include <algorithm>
#include <array>
#include <utility>

#include "audit/event/action_type.h"
#include "compile/json/reader.h"
#include "store/text.h"
#include "store/words.h"

namespace spoor::audit::check {
namespace {

using store::is_in;

namespace json = compile::json;

// Tools that change files, in small letters without `_` and `-`: ours, and those of Claude Code,
// Codex, Cursor, Cline, Gemini CLI, OpenHands, SWE-agent and Copilot, as their sessions name them.
constexpr std::array<std::string_view, 29> kWriters = {"writefile",
                                                       "editfile",
                                                       "edit",
                                                       "write",
                                                       "multiedit",
                                                       "notebookedit",
                                                       "applypatch",
                                                       "strreplaceeditor",
                                                       "createfile",
                                                       "deletefile",
                                                       "movefile",
                                                       "renamefile",
                                                       "replace",
                                                       "writetofile",
                                                       "replaceinfile",
                                                       "inserteditintofile",
                                                       "searchreplace",
                                                       "create",
                                                       "insert",
                                                       "strreplacebasededittool",
                                                       "strreplace",
                                                       "applydiff",
                                                       "insertcontent",
                                                       "removefile",
                                                       "copyfile",
                                                       "createdirectory",
                                                       "replacestringinfile",
                                                       "strreplaceedit",
                                                       "editnotebook"};
constexpr std::array<std::string_view, 16> kPathMembers = {
    "path",          "file_path",     "filePath", "notebook_path", "target_file", "filename",
    "file",          "destination",   "new_path", "source",        "target_path", "dest",
    "absolute_path", "relative_path", "old_path", "TargetFile"};
constexpr std::array<std::string_view, 4> kPatchMembers = {"patch", "diff", "input", "patch_text"};
constexpr std::array<std::string_view, 5> kFolderMembers = {"cwd", "workdir", "working_directory",
                                                            "workingDirectory", "dir_path"};
constexpr std::array<std::string_view, 5> kCommandMembers = {"argv", "command", "cmd", "script",
                                                             "commands"};
constexpr std::array<std::string_view, 3> kUrlMembers = {"url", "uri", "urls"};
constexpr std::array<std::string_view, 3> kSqlMembers = {"sql", "query", "statement"};

std::string plain_name(std::string_view tool) {
  // `mcp__server__tool`, `functions.tool`: the last part is the tool.
  if (const std::size_t at = tool.rfind("__"); at != std::string_view::npos) {
    tool.remove_prefix(at + 2);
  }
  if (const std::size_t at = tool.rfind('.'); at != std::string_view::npos) {
    tool.remove_prefix(at + 1);
  }
  std::string plain = store::lowered(tool);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  return plain;
}

bool mentions(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

std::vector<std::string> texts_of(const json::Value& value) {
  std::vector<std::string> texts;
  if (value.is_string()) texts.push_back(value.text());
  for (const json::Value each : value.elements()) {
    if (each.is_string()) texts.push_back(each.text());
  }
  return texts;
}

void add_commands(Commands found, Deeds& deeds) {
  deeds.is_whole = deeds.is_whole && found.is_whole;
  if (!found.is_whole) {
    deeds.unclear.emplace_back("a script is too long, or nested too deeply, to be read to its end");
  }
  for (std::string& why : found.unclear) deeds.unclear.push_back(std::move(why));
  for (Command& command : found.all) {
    add_changes_of(command, deeds.changes);
    deeds.commands.push_back(std::move(command));
  }
}

void add_call(std::string_view tool, std::string_view arguments, Deeds& deeds) {
  const std::string name = plain_name(tool);
  const bool is_writer = is_in(kWriters, name);
  const auto document = json::parse(arguments.empty() ? "{}" : arguments);
  if (!document || !document->root().is_object()) {
    // Some tools take a text as it is: a patch, or a script.
    const std::string text =
        document && document->root().is_string() ? document->root().text() : std::string(arguments);
    for (std::string& path : files_of_patch(text)) deeds.changes.push_back({std::move(path), ""});
    const bool is_shell = mentions(name, "shell") || mentions(name, "bash") || name == "exec";
    if (is_shell) {
      add_commands(commands_of_script(text, ""), deeds);
    } else if (!document && !is_writer) {
      deeds.is_whole = false;
      deeds.unclear.emplace_back("the arguments are no JSON");
    }
    return;
  }
  const json::Value root = document->root();
  std::string folder;
  for (const std::string_view member : kFolderMembers) {
    if (const auto value = root.find(member); value.is_string()) folder = value.text();
  }
  if (!folder.empty()) deeds.folders.push_back(folder);

  const std::string verb = root.find("command").text();
  const bool is_editor = is_writer && (verb == "create" || verb == "str_replace" ||
                                       verb == "insert" || verb == "undo_edit" || verb == "view");
  const bool only_looks = is_editor && verb == "view";
  const bool is_edit = root.find("new_string") || root.find("new_str") ||
                       (root.find("old") && root.find("new")) || root.find("patch");
  if ((is_writer || is_edit) && !only_looks) {
    for (const std::string_view member : kPathMembers) {
      for (std::string& path : texts_of(root.find(member))) {
        deeds.changes.push_back({std::move(path), folder});
      }
    }
    for (const std::string_view member : kPatchMembers) {
      for (std::string& path : files_of_patch(root.find(member).text())) {
        deeds.changes.push_back({std::move(path), folder});
      }
    }
    if (const auto changes = root.find("changes"); changes.is_object()) {
      for (const json::Member change : changes.members()) {
        deeds.changes.push_back({change.key.text(), folder});
      }
    }
  }
  if (!is_editor && !is_writer) {
    for (const std::string_view member : kCommandMembers) {
      const json::Value value = root.find(member);
      if (value.is_string()) {
        add_commands(commands_of_script(value.text(), folder), deeds);
      } else if (value.is_array()) {
        const std::vector<std::string> words = texts_of(value);
        // `commands` is a list of scripts, the others an argument vector.
        if (member == "commands") {
          for (const std::string& script : words) {
            add_commands(commands_of_script(script, folder), deeds);
          }
        } else {
          add_commands(commands_of_argv(words, folder), deeds);
        }
      }
    }
  }
  for (const std::string_view member : kUrlMembers) {
    for (std::string& url : texts_of(root.find(member))) deeds.urls.push_back(std::move(url));
  }
  if (mentions(name, "sql") || mentions(name, "query") || mentions(name, "database")) {
    for (const std::string_view member : kSqlMembers) deeds.sql += root.find(member).text() + '\n';
  }
}

}  // namespace

const std::string* readable(const Content& content) {
  return content.has_text() ? &content.text : nullptr;
}

Content said(std::string text) {
  Content content;
  content.mode = Content::Mode::full;
  content.text = std::move(text);
  return content;
}

Deeds deeds_of(std::string_view tool, std::string_view arguments) {
  Deeds deeds;
  add_call(tool, arguments, deeds);
  return deeds;
}

Deeds deeds_of(const DecisionEvent& event) {
  Deeds deeds;
  const AgentAction& action = event.agent_action;
  using Type = AgentAction::Type;
  const bool did_nothing =
      action.type == Type::blocked || action.type == Type::no_op || action.type == Type::override_;
  if (did_nothing) return deeds;
  for (const ToolResult& result : action.tool_results) {
    if (const std::string* arguments = readable(result.arguments)) {
      add_call(result.name, *arguments, deeds);
    } else {
      deeds.is_whole = false;
    }
  }
  for (const Artifact& artifact : action.artifacts) {
    const bool is_change =
        artifact.type == Artifact::Type::file_edit || artifact.type == Artifact::Type::diff;
    if (!is_change || !artifact.path) continue;
    if (const std::string* path = readable(*artifact.path)) {
      const bool is_known = std::any_of(deeds.changes.begin(), deeds.changes.end(),
                                        [&](const Change& change) { return change.path == *path; });
      if (!is_known) deeds.changes.push_back({*path, ""});
    } else {
      deeds.is_whole = false;
    }
  }
  return deeds;
}

DecisionEvent intended(std::string_view tool, std::string_view arguments) {
  DecisionEvent event;
  ToolResult call;
  call.name = tool;
  call.arguments = said(std::string(arguments));
  call.output = {};
  event.kind = EventKind::action;
  event.agent_action.type = type_of(
      CallSeen{.tool = std::string(tool), .arguments = std::string(arguments), .artifact = {}});
  event.agent_action.tool_results.push_back(std::move(call));
  return event;
}

}  // namespace spoor::audit::check
