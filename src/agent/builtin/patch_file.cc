#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_change.h"
#include "agent/builtin/patch.h"
#include "agent/numbers.h"

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

Result<ToolResult> patch_file(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string path = TRY(arguments.text("path"));
  const std::string patch = TRY(arguments.text("patch"));
  const std::string name = TRY(base.root.relative(path));
  const Deadline deadline(context);
  const auto [place, old] = TRY(read_existing(base.root, path, deadline));
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
