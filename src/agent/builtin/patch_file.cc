#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_change.h"
#include "agent/builtin/patch.h"
#include "agent/numbers.h"
#include "base/text.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "the file, relative to the root folder"},
    "patch": {"type": "string", "minLength": 1,
      "description": "hunks of a unified diff: '@@ -LINE,COUNT +LINE,COUNT @@' or '@@', then lines that begin with ' ' (kept), '-' (removed) or '+' (added)"}
  },
  "required": ["path", "patch"],
  "additionalProperties": false
})json";

// Returns the name in a line `+++ b/NAME`, without what stands for the old and the new tree.
std::string_view name_in(std::string_view line) {
  std::string_view name = line.substr(4);
  name = name.substr(0, name.find_first_of("\t\r"));
  if (name.starts_with("a/") || name.starts_with("b/")) name.remove_prefix(2);
  return trimmed(name);
}

// Refuses a patch that says that it is of another file, or that it makes or removes one. Its path
// may begin at another folder.
Result<void> check_names(std::string_view patch, std::string_view path) {
  while (!patch.empty() && !patch.starts_with("@@")) {
    const std::size_t end = std::min(patch.find('\n'), patch.size());
    const std::string_view line = patch.substr(0, end);
    patch.remove_prefix(std::min(end + 1, patch.size()));
    if (!line.starts_with("--- ") && !line.starts_with("+++ ")) continue;
    const std::string_view name = name_in(line);
    const auto last = [](std::string_view of) { return of.substr(of.rfind('/') + 1); };
    if (name.empty() || last(name) == last(path)) continue;
    return invalid(fmt::format("the patch is about '{}', not about '{}'", name, path),
                   "use write_file to make a file; one call is about one file");
  }
  return {};
}

Result<ToolResult> patch_file(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string path = TRY(arguments.text("path"));
  const std::string patch = TRY(arguments.text("patch"));
  const std::string name = TRY(base.root.relative(path));
  const Deadline deadline(context);
  const auto [place, old] = TRY(read_existing(base.root, path, deadline));
  TRY(check_names(patch, path));
  const Patched patched = TRY(apply_patch(old.bytes, patch));
  TRY(put_in_place(place, old, patched.text, path));
  std::string text = fmt::format("patched '{}': {}", path, counted(patched.hunks, "hunk"));
  if (patched.moved > 0) {
    text += fmt::format(", {} at another line than the patch says", grouped(patched.moved));
  }
  return change_result(std::move(text), name, old, patched.text);
}

}  // namespace

Tool make_patch_file(SharedBase base) {
  Tool tool;
  tool.id = "patch_file";
  tool.description =
      "Changes a file at several places by a unified diff. Kept and removed lines must be exactly "
      "what the file holds; line numbers need not be right where those are there once. All hunks "
      "are applied, or none.";
  tool.parameters = kParameters;
  tool.tags = {"files"};
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(patch_file(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
