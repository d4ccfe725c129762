#include "trace/tool_call.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/text.h"
#include "trace/code_calls.h"
#include "trace/command_words.h"
#include "trace/patch.h"

namespace spoor::trace {
namespace {

// One row per family of tools. Names are in small letters without `_` and `-`. Members contain the
// subject of the call: paths of an editor, scripts and argument vectors of a shell, the text of
// code.
struct ToolRow {
  ToolKind kind;
  std::string_view names;
  std::string_view members;
};

constexpr std::string_view kPaths =
    "path file_path filePath notebook_path target_file filename file destination new_path source "
    "target_path dest absolute_path relative_path old_path TargetFile";
constexpr std::string_view kScriptMembers = "argv command cmd script commands";

constexpr std::array kTools = {
    ToolRow{ToolKind::editor,
            "writefile editfile edit write multiedit notebookedit applypatch patch "
            "createfile deletefile movefile renamefile replace writetofile replaceinfile "
            "inserteditintofile searchreplace create insert strreplace applydiff insertcontent "
            "removefile copyfile createdirectory replacestringinfile strreplaceedit editnotebook "
            "editor strreplaceeditor strreplacebasededittool fileeditor filewrite fileedit",
            kPaths},
    ToolRow{ToolKind::shell,
            "runcommand runcommands bash shell sh exec execcommand localshell runshellcommand "
            "executecommand executebash executeshell run cmdrun terminal shellexec runterminal "
            "runterminalcmd runterminalcommand runinterminal powershell shellcommand",
            kScriptMembers},
    ToolRow{ToolKind::code,
            "runipython ipython executeipythoncell ipythonruncell python runpython pythonexec "
            "runpythoncode codeinterpreter codeexecution executecode runcode javascript jsrepl "
            "jseval repl",
            "code script source"},
    ToolRow{ToolKind::request,
            "httpget webfetch websearch fetch fetchurl httprequest googlewebsearch browse", "url"},
    ToolRow{
        ToolKind::harmless,
        "readfile read readfiles readmanyfiles viewfile view viewimage openfile open notebookread "
        "glob grep ls list listdir listfiles listdirectory listdirectorytree findfile searchdir "
        "searchfile searchfiles searchfilecontent codebasesearch grepsearch filesearch "
        "semanticsearch listcodedefinitionnames goto scrollup scrolldown think finish submit "
        "todowrite todoread updateplan planmode exitplanmode attemptcompletion "
        "askfollowupquestion askuserquestion task spawnagent waitagent listagents "
        "interruptagent closeagent sendinput wait sleep toolsearch bashoutput listalltools",
        ""},
};

constexpr std::string_view kFolderMembers =
    "cwd workdir working_directory workingDirectory dir_path";
constexpr std::string_view kPatchMembers = "patch diff input patch_text";
constexpr std::string_view kUrlMembers = "url uri urls";
constexpr std::string_view kSqlMembers = "sql query statement";

// `mcp__server__tool`, `functions.tool`: the last part is the tool.
std::string plain_name(std::string_view tool) {
  if (const std::size_t at = tool.rfind("__"); at != std::string_view::npos) {
    tool.remove_prefix(at + 2);
  }
  if (const std::size_t at = tool.rfind('.'); at != std::string_view::npos) {
    tool.remove_prefix(at + 1);
  }
  std::string plain = lowered(tool);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  return plain;
}

const ToolRow* row_of(std::string_view plain) {
  for (const ToolRow& row : kTools) {
    if (lists(row.names, plain)) return &row;
  }
  return nullptr;
}

bool mentions(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

// Returns a text, a list of texts, or the texts at `member` of a list of objects.
std::vector<std::string> texts_of(const json::Value& value, std::string_view member = {}) {
  std::vector<std::string> texts;
  if (value.is_string()) texts.push_back(value.text());
  for (const json::Value each : value.elements()) {
    const json::Value text = each.is_object() ? each.find(member) : each;
    if (text.is_string()) texts.push_back(text.text());
  }
  return texts;
}

template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
  for (T& each : more) to.push_back(std::move(each));
}

// Returns the folder in which a command applies the patch that follows `before`; empty: where it
// runs; nullopt: it is not known.
std::optional<std::string> folder_of_patch(std::string_view before) {
  before = trimmed(before);
  std::string folder;
  if (before.starts_with("cd ")) {
    before.remove_prefix(3);
    const std::size_t end = before.find("&&");
    if (end == std::string_view::npos) return std::nullopt;
    folder = trimmed(before.substr(0, end));
    if (folder.find_first_of(" '\"$`;|\\~*") != std::string::npos) return std::nullopt;
    before = trimmed(before.substr(end + 2));
  }
  const bool is_alone = before.empty() && folder.empty();  // A word of `["apply_patch", PATCH]`.
  if (!is_alone && !before.starts_with("apply_patch") && !before.starts_with("applypatch")) {
    return std::nullopt;
  }
  return folder;
}

std::string below(const std::string& folder, std::string file) {
  return folder.empty() || file.starts_with('/') ? file : folder + "/" + file;
}

class CallReader {
 public:
  explicit CallReader(std::string_view tool) : tool_(tool), name_(plain_name(tool)) {
    const ToolRow* row = row_of(name_);
    call_.kind = row != nullptr ? row->kind : ToolKind::unknown;
    members_ = row != nullptr ? row->members : "";
    if (call_.kind == ToolKind::unknown && tool.starts_with("mcp__")) {
      call_.kind = ToolKind::request;
    }
  }

  ToolCallRead read(std::string_view arguments) && {
    const auto document = json::parse(arguments.empty() ? "{}" : arguments);
    if (document && document->root().is_object()) {
      read_object(document->root());
    } else if (document && document->root().is_string()) {
      read_text(document->root().text());
    } else if (document && document->root().raw() == "null") {
      read_text("");
    } else {
      read_text(arguments);
    }
    return std::move(call_);
  }

 private:
  // Some tools take a plain text: a patch, a script, a program.
  void read_text(std::string_view text) {
    append(call_.changed, files_of_patch(text));
    append(call_.edits, edits_in_patch(text));
    const bool is_program = call_.kind == ToolKind::code || name_ == "exec";  // Codex's name.
    if (is_program) {
      read_code(text);
    } else if (call_.kind == ToolKind::shell || mentions(name_, "shell") ||
               mentions(name_, "bash")) {
      call_.kind = ToolKind::shell;
      call_.scripts.emplace_back(text);
    } else if (call_.kind == ToolKind::editor) {
      tell_no_file();
    } else if (call_.kind == ToolKind::unknown && call_.changed.empty()) {
      call_.is_lost = true;
      call_.unclear = "the arguments are no JSON";
    }
  }

  void read_object(const json::Value& root) {
    for (const std::string_view member : split(kFolderMembers)) {
      if (const auto value = root.find(member); value.is_string()) call_.folder = value.text();
    }
    const std::string verb = root.find("command").text();
    const bool is_editor = call_.kind == ToolKind::editor;
    if (is_editor && verb == "view") {
      call_.kind = ToolKind::harmless;
    } else if (is_editor || says_edit(root)) {
      read_edit(root);
    }
    if (call_.kind == ToolKind::code) {
      for (const std::string_view member : split(members_)) {
        if (const auto code = root.find(member); code.is_string()) return read_code(code.text());
      }
    }
    // Unknown tools are read by their arguments.
    if (!is_editor) read_scripts(root);
    const bool is_told = !call_.scripts.empty() || !call_.argvs.empty() || !call_.changed.empty();
    if (call_.kind == ToolKind::unknown && !is_told && root.find("code").is_string()) {
      read_code(root.find("code").text());
    }
    const bool types = name_ == "writestdin" && !root.find("chars").text().empty();
    if (types) call_.unclear = "what is typed into a program that runs is not read";
    for (const std::string_view member : split(kUrlMembers)) {
      append(call_.urls, texts_of(root.find(member)));
    }
    if (mentions(name_, "sql") || mentions(name_, "query") || mentions(name_, "database")) {
      for (const std::string_view member : split(kSqlMembers)) {
        call_.sql += root.find(member).text() + '\n';
      }
    }
  }

  static bool says_edit(const json::Value& root) {
    return root.find("new_string") || root.find("new_str") || root.find("patch") ||
           (root.find("old") && root.find("new"));
  }

  void read_edit(const json::Value& root) {
    for (const std::string_view member : split(kPaths)) {
      append(call_.changed, texts_of(root.find(member), "path"));
    }
    for (const std::string_view member : split(kPatchMembers)) {
      append(call_.changed, files_of_patch(root.find(member).text()));
    }
    append(call_.edits, edits_in_arguments(root));
    if (const auto changes = root.find("changes"); changes.is_object()) {
      for (const json::Member change : changes.members()) {
        call_.changed.push_back(change.key.text());
      }
    }
    if (call_.kind == ToolKind::editor) tell_no_file();
  }

  // Notes that no file is named: it may be the file opened before, or one in the call's output.
  void tell_no_file() {
    if (call_.changed.empty()) call_.unclear = fmt::format("'{}' names no file", tool_);
  }

  void read_scripts(const json::Value& root) {
    // Read-only tools use such members for other values.
    if (call_.kind == ToolKind::harmless || call_.kind == ToolKind::request) return;
    for (const std::string_view member : split(kScriptMembers)) {
      const json::Value value = root.find(member);
      if (value.is_string()) {
        call_.scripts.push_back(value.text());
        read_patch_command(call_.scripts.back());
      } else if (value.is_array() && member == "commands") {
        append(call_.scripts, texts_of(value, "command"));  // A list of scripts.
      } else if (value.is_array()) {
        call_.argvs.push_back(texts_of(value));
        for (const std::string& word : call_.argvs.back()) read_patch_command(word);
      }
    }
  }

  // Codex also applies patches with a command: `apply_patch <<'EOF'`, `cd sub && apply_patch
  // <<'EOF'`. After other commands the folder is not known, and so no file.
  void read_patch_command(std::string_view text) {
    const std::size_t begin = text.find("*** Begin Patch");
    if (begin == std::string_view::npos) return;
    std::vector<FileEdit> edits = edits_in_patch(text);
    if (const auto folder = folder_of_patch(text.substr(0, begin))) {
      for (std::string& file : files_of_patch(text.substr(begin))) {
        call_.changed.push_back(below(*folder, std::move(file)));
      }
      for (FileEdit& edit : edits) edit.path = below(*folder, std::move(edit.path));
      call_.patch = text.substr(begin);
    }
    append(call_.edits, std::move(edits));
  }

  // Reads the calls in the code; its other effects cannot be known.
  void read_code(std::string_view code) {
    call_.kind = ToolKind::code;
    CodeCalls found{.calls = {}, .is_whole = false};
    if (name_ == "exec") found = read_codex_javascript(code);
    if (mentions(name_, "python")) found = read_openhands_python(code);
    for (const CodeCall& each : found.calls) {
      ToolCallRead inner = CallReader(each.tool).read(each.arguments);
      append(call_.changed, std::move(inner.changed));
      append(call_.edits, std::move(inner.edits));
      append(call_.scripts, std::move(inner.scripts));
      append(call_.argvs, std::move(inner.argvs));
      append(call_.urls, std::move(inner.urls));
      if (call_.folder.empty()) call_.folder = std::move(inner.folder);
      if (call_.unclear.empty()) call_.unclear = std::move(inner.unclear);
    }
    if (!found.is_whole) call_.unclear = fmt::format("the code that '{}' runs is not read", tool_);
  }

  std::string_view tool_;
  std::string name_;
  std::string_view members_;
  ToolCallRead call_;
};

}  // namespace

ToolCallRead read_tool_call(std::string_view tool, std::string_view arguments) {
  return CallReader(tool).read(arguments);
}

std::string target_of(std::string_view tool, std::string_view arguments) {
  const ToolCallRead call = read_tool_call(tool, arguments);
  const auto joined = [](const std::vector<std::string>& words, const char* between) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : between) + word;
    return line;
  };
  const bool runs = call.kind == ToolKind::shell || call.kind == ToolKind::code;
  if (runs && !call.scripts.empty()) return call.scripts.front();
  if (runs && !call.argvs.empty()) return joined(call.argvs.front(), " ");
  const auto document = json::parse(arguments);
  if (document && document->root().is_object() && call.changed.size() < 2) {
    for (const char* key : {"path", "file_path", "notebook_path", "filePath"}) {
      const json::Value path = document->root().find(key);
      if (path.is_string()) return path.text();
    }
  }
  if (!call.changed.empty()) return joined(call.changed, ", ");
  if (!call.urls.empty()) return call.urls.front();
  return arguments == "{}" ? std::string() : std::string(arguments);
}

}  // namespace spoor::trace
