#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/folder_walk.h"
#include "agent/builtin/glob.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1,
      "description": "such as 'src/**/*.cc'; '**' stands for any folders, '*' and '?' for parts of a name; without a slash it is the name of a file in any folder"},
    "path": {"type": "string",
      "description": "the folder to look in, relative to the root folder (default: the root folder)"}
  },
  "required": ["pattern"],
  "additionalProperties": false
})json";

Result<ToolResult> glob(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string pattern = TRY(arguments.text("pattern"));
  const std::string path = TRY(arguments.text_or("path", "."));
  const std::string inside = TRY(base.root.relative(path));
  const StoreGuard& store = base.root.closed().store;
  const StoreGuard::Files hidden = store.files();
  const std::string prefix = inside == "." ? "" : inside + "/";
  ToolResult result = gave({});
  std::int64_t matches = 0;
  bool is_cut = false;
  const bool is_partial = TRY(
      walk_folder(TRY(base.root.folder(path)), prefix, Deadline(context), [&](const Entry& entry) {
        using Step = Entry::Step;
        const bool is_folder = entry.kind == Entry::Kind::folder;
        if (is_folder) return entry.name == ".git" ? Step::skip : Step::go_on;
        const std::string_view below = entry.path.substr(prefix.size());
        if (!matches_path(pattern, below) || store.covers(hidden, entry.folder, entry.name)) {
          return Step::go_on;
        }
        const std::string line = shown_path(entry.path) + '\n';
        is_cut = result.text.size() + line.size() > base.settings.output_cap;
        if (is_cut) return Step::end;
        result.text += line;
        ++matches;
        return Step::go_on;
      }));
  result.facts.set(fact::matches, matches);
  if (is_cut) {
    result.text += "[more was left out: give a narrower pattern]";
  } else if (is_partial) {
    result.text += "[some folders could not be read, or hold too much]";
  } else if (matches == 0) {
    result.text = "[no file matches]";
  }
  return result;
}

}  // namespace

Tool make_glob(SharedBase base) {
  Tool tool;
  tool.id = "glob";
  tool.description =
      "Finds files by their names, one path a line, relative to the root folder. Not in '.git', "
      "and "
      "no symbolic link is followed.";
  tool.parameters = kParameters;
  tool.tags = {"files"};
  tool.read_only = true;
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(glob(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
