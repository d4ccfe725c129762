#include <algorithm>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_change.h"
#include "agent/builtin/file_text.h"
#include "agent/numbers.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "the file, relative to the root folder"},
    "content": {"type": "string", "description": "all of the file, to its last line's end"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
})json";

std::size_t lines_in(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

Result<ToolResult> write_file(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string path = TRY(arguments.text("path"));
  const std::string content = TRY(arguments.text("content"));
  const std::string name = TRY(base.root.relative(path));
  const Deadline deadline(context);
  TRY(deadline.check());
  const Root::WriteTarget place = TRY(base.root.place(path, true));
  const OldFile old = TRY(read_old(place, path, deadline));
  const bool is_new = !old.exists || !old.is_whole || old.bytes != content;
  if (is_new) TRY(put_in_place(place, old, content, path));
  const std::string size =
      fmt::format("{}, {}", counted(lines_in(content), "line"), counted(content.size(), "byte"));
  std::string text = !old.exists ? fmt::format("made '{}': {}", path, size)
                     : is_new    ? fmt::format("wrote '{}' anew: {}", path, size)
                                 : fmt::format("'{}' has that content already", path);
  return change_result(std::move(text), name, old, content);
}

}  // namespace

Tool make_write_file(SharedBase base) {
  Tool tool;
  tool.id = "write_file";
  tool.description =
      "Writes a file, in place of what it held before; makes it, and folders on the way to it, "
      "where they are missing. To change a part of a file, use edit_file.";
  tool.parameters = kParameters;
  tool.tags = {"files"};
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(write_file(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
