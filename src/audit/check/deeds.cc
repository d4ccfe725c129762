#include "audit/check/deeds.h"

#include <algorithm>
#include <array>

#include "audit/event/action_type.h"
#include "compile/json/reader.h"
#include "store/text.h"

namespace spoor::audit::check {
namespace {

namespace json = compile::json;

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

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

void add_path(std::vector<Change>& to, const Word& word, const std::string& folder) {
  if (word.text.empty()) return;
  to.push_back({word.text, folder, true});
}

// Programs whose operands are what they change; `after`: how many of the first are none; `last`:
// only the last one is.
struct Changer {
  std::string_view name;
  std::size_t after = 0;
  bool last = false;
};
constexpr std::array kChangers = {
    Changer{"rm"},
    Changer{"rmdir"},
    Changer{"unlink"},
    Changer{"mv"},
    Changer{"tee"},
    Changer{"touch"},
    Changer{"mkdir"},
    Changer{"truncate"},
    Changer{"shred"},
    Changer{"chmod", 1},
    Changer{"chown", 1},
    Changer{"chgrp", 1},
    Changer{"cp", 1, true},
    Changer{"ln", 1, true},
    Changer{"install", 1, true},
    Changer{"rsync", 1, true},
};

void add_operands(const Command& command, std::size_t after, bool last, std::vector<Change>& to) {
  const std::vector<Word> operands = command.operands();
  if (last) {
    const std::string into = command.value_of('t', "--target-directory");
    if (!into.empty() && command.program != "rsync") return add_path(to, {into}, command.folder);
    if (operands.size() > after) add_path(to, operands.back(), command.folder);
    return;
  }
  for (std::size_t i = after; i < operands.size(); ++i) {
    add_path(to, operands[i], command.folder);
  }
}

void add_changes_of(const Command& command, std::vector<Change>& to) {
  for (const Redirect& redirect : command.redirects) {
    if (redirect.op != "<") add_path(to, redirect.to, command.folder);
  }
  const auto* changer = std::find_if(kChangers.begin(), kChangers.end(),
                                     [&](const Changer& c) { return c.name == command.program; });
  if (changer != kChangers.end()) {
    return add_operands(command, changer->after, changer->last, to);
  }
  const std::vector<Word> operands = command.operands();
  if (command.program == "sed" || command.program == "gsed") {
    if (!command.has_flag('i', "--in-place")) return;
    Command plain = command;  // Without the scripts that flags take.
    bool has_script = false;
    for (std::size_t i = 0; i < plain.words.size();) {
      const std::string& word = plain.words[i].text;
      const bool takes = word == "-e" || word == "-f" || word == "--expression" || word == "--file";
      has_script = has_script || takes || word.starts_with("--expression=");
      const auto from = plain.words.begin() + static_cast<std::ptrdiff_t>(i);
      if (takes) plain.words.erase(from, from + (i + 1 < plain.words.size() ? 2 : 1));
      if (!takes) ++i;
    }
    return add_operands(plain, has_script ? 0 : 1, false, to);
  }
  if (command.program == "dd") {
    for (const Word& word : command.words) {
      if (word.text.starts_with("of=")) add_path(to, {word.text.substr(3)}, command.folder);
    }
  } else if (command.program == "curl") {
    const std::string file = command.value_of('o', "--output");
    if (!file.empty()) add_path(to, {file}, command.folder);
  } else if (command.program == "wget") {
    const std::string file = command.value_of('O', "--output-document");
    if (!file.empty() && file != "-") add_path(to, {file}, command.folder);
  } else if (command.program == "git" && !operands.empty()) {
    const std::string& verb = operands.front().text;
    if (verb != "rm" && verb != "mv") return;
    for (std::size_t i = 1; i < operands.size(); ++i) add_path(to, operands[i], command.folder);
  } else if (command.program == "apply_patch" || command.program == "applypatch" ||
             command.program == "patch") {
    std::string patch = command.input;
    for (const Word& word : command.words) patch += '\n' + word.text;
    for (const std::string& path : files_of_patch(patch)) add_path(to, {path}, command.folder);
  }
}

void add_commands(Commands found, Deeds& deeds) {
  deeds.is_whole = deeds.is_whole && found.is_whole;
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
  const bool is_there =
      content.mode == Content::Mode::full || content.mode == Content::Mode::redacted;
  return is_there ? &content.text : nullptr;
}

Content said(std::string text) {
  Content content;
  content.mode = Content::Mode::full;
  content.text = std::move(text);
  return content;
}

std::vector<std::string> files_of_patch(std::string_view patch) {
  constexpr std::array<std::string_view, 6> kMarks = {
      "*** Update File: ", "*** Add File: ", "*** Delete File: ",
      "*** Move to: ",     "rename to ",     "rename from "};
  std::vector<std::string> files;
  const auto add = [&](std::string_view path) {
    if (path.empty() || path == "/dev/null") return;
    if (std::find(files.begin(), files.end(), path) == files.end()) files.emplace_back(path);
  };
  std::string_view before;  // A `--- ` line: it is a header where `+++ ` follows.
  const bool is_begun =
      patch.starts_with("*** Begin Patch") || mentions(patch, "\n*** Begin Patch");
  const bool is_git = patch.starts_with("diff --git ") || mentions(patch, "\ndiff --git ");
  while (!patch.empty()) {
    const std::size_t end = std::min(patch.find('\n'), patch.size());
    std::string_view line = patch.substr(0, end);
    patch.remove_prefix(std::min(end + 1, patch.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    for (const std::string_view mark : kMarks) {
      const bool is_of_git = mark.front() == 'r';
      if (line.starts_with(mark) && (is_of_git ? is_git : is_begun)) add(line.substr(mark.size()));
    }
    if (line.starts_with("+++ ") && !before.empty()) {
      for (std::string_view side : {before, line}) {
        side.remove_prefix(4);
        side = side.substr(0, side.find('\t'));
        if (side.starts_with("a/") || side.starts_with("b/")) side.remove_prefix(2);
        add(side);
      }
    }
    before = line.starts_with("--- ") ? line : std::string_view();
  }
  return files;
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
