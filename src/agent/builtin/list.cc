#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/folder_walk.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "path": {"type": "string",
      "description": "the folder, relative to the root folder (default: the root folder)"
}
, "depth" : {
  "type" : "integer",
           "minimum" : 1,
           "maximum" : 64,
           "description" : "how many levels of folders to show (default 1)"
}
}
, "additionalProperties" : false
})json";

// Returns a link's target as stored.
std::string target_of(const Entry& entry) {
  std::array<char, PATH_MAX> target;
  const ssize_t size =
      ::readlinkat(entry.folder, std::string(entry.name).c_str(), target.data(), target.size());
  return {target.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

std::string line_of(const Entry& entry) {
  std::string line = shown_path(entry.path);
  if (entry.kind == Entry::Kind::folder) line += '/';
  if (entry.kind == Entry::Kind::link) line += " -> " + shown_path(target_of(entry));
  return line + '\n';
}

Result<ToolResult> list(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string path = TRY(arguments.text_or("path", "."));
  const auto depth = static_cast<std::size_t>(
      TRY(arguments.whole_or("depth", 1, 1, static_cast<std::int64_t>(kMostDepth))));
  const std::string inside = TRY(base.root.relative(path));
  Descriptor folder = TRY(base.root.folder(path));

  const StoreGuard& store = base.root.closed().store;
  const StoreGuard::Files hidden = store.files();
  ToolResult result = gave({});
  note_path(result.facts, inside);
  bool is_cut = false;
  const bool is_partial = TRY(walk_folder(
      std::move(folder), inside == "." ? "" : inside + "/", Deadline(context),
      [&](const Entry& entry) {
        if (entry.kind != Entry::Kind::folder && store.covers(hidden, entry.folder, entry.name)) {
          return Entry::Step::go_on;
        }
        const std::string line = line_of(entry);
        if (result.text.size() + line.size() > base.settings.output_cap) {
          is_cut = true;
          return Entry::Step::end;
        }
        result.text += line;
        const bool is_inner = entry.depth < depth && entry.name != ".git";
        return is_inner ? Entry::Step::go_on : Entry::Step::skip;
      }));
  if (is_cut) {
    result.text += "[more was left out: list a folder in it, or with less depth]";
  } else if (is_partial) {
    result.text += "[some folders could not be read, or hold too much]";
  } else if (result.text.empty()) {
    result.text = "[the folder is empty]";
  }
  return result;
}

}  // namespace

Tool make_list(SharedBase base) {
  Tool tool;
  tool.id = "list";
  tool.description =
      "Lists what is in a folder, one path a line: folders with a slash at the end, symbolic links "
      "with where they lead. Shows '.git' but nothing in it, unless it is asked for.";
  tool.parameters = kParameters;
  tool.tags = {"files"};
  tool.read_only = true;
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(list(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
