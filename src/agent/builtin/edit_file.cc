#include <algorithm>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_change.h"
#include "agent/builtin/file_text.h"
#include "agent/numbers.h"
#include "base/find_text.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::size_t kShownPlaces = 5;
constexpr std::size_t kMostMade = 4 * kMostChanged;

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "the file, relative to the root folder"},
    "old": {"type": "string", "minLength": 1,
      "description": "what is there now, exactly, white space too; it must be there once only"},
    "new": {"type": "string", "description": "what is to stand in its place"},
    "all": {"type": "boolean", "description": "replace it wherever it stands (default false)"
}
}
, "required" : [ "path", "old", "new" ], "additionalProperties" : false
})json";

std::size_t line_of(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

// Returns a text with other line ends.
std::string with_line_ends(std::string_view text, bool carriage_returns) {
  std::string out;
  for (const char c : text) {
    if (c == '\r') continue;
    if (c == '\n' && carriage_returns) out += '\r';
    out += c;
  }
  return out;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out += c;
  }
  return out;
}

Error not_there(std::string_view path, std::string_view bytes, std::string_view old) {
  std::string hint = "read the file again; it must be exact, white space too";
  const bool has_returns = bytes.find("\r\n") != std::string_view::npos;
  if (find_text(bytes, with_line_ends(old, true)) != std::string_view::npos) {
    hint = "the file's lines end with CR LF (\\r\\n): give them so, in 'new' too";
  } else if (!has_returns &&
             find_text(bytes, with_line_ends(old, false)) != std::string_view::npos) {
    hint = "the file's lines end with LF alone (\\n)";
  } else if (const std::string bare = without_blanks(old);
             !bare.empty() && find_text(without_blanks(bytes), bare) != std::string_view::npos) {
    hint = "it is there with other white space; read the file again";
  }
  return not_found(fmt::format("'{}' does not hold the text in 'old'", path), hint);
}

// Also counts overlapping occurrences, which make the text ambiguous too.
Result<void> check_unique(std::string_view path, std::string_view bytes, std::string_view old,
                          std::size_t first) {
  std::string lines;
  std::size_t count = 0;
  for (std::size_t at = first; at != std::string_view::npos; at = find_text(bytes, old, at + 1)) {
    if (++count > kShownPlaces) break;
    lines += fmt::format("{}{}", lines.empty() ? "" : ", ", line_of(bytes, at));
  }
  if (count == 1) return {};
  return ambiguous(fmt::format("'{}' holds the text in 'old' more than once: at lines {}{}", path,
                               lines, count > kShownPlaces ? " and more" : ""),
                   "give more of what is around it, or set 'all'");
}

Result<ToolResult> edit_file(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string path = TRY(arguments.text("path"));
  const std::string before = TRY(arguments.text("old"));
  const std::string after = TRY(arguments.text("new"));
  const bool all = TRY(arguments.flag("all"));
  const std::string name = TRY(base.root.relative(path));
  if (before.empty()) {
    return invalid("'old' is empty", "write_file makes a file or writes it anew");
  }
  if (before == after) return invalid("'old' and 'new' are the same");

  const Deadline deadline(context);
  const auto [place, old] = TRY(read_existing(base.root, path, deadline));
  const std::size_t first = find_text(old.bytes, before);
  if (first == std::string_view::npos) return not_there(path, old.bytes, before);
  if (!all) TRY(check_unique(path, old.bytes, before, first));

  std::string bytes;
  std::size_t count = 0;
  std::size_t from = 0;
  for (std::size_t at = first; at != std::string_view::npos;
       at = find_text(old.bytes, before, from)) {
    bytes.append(old.bytes, from, at - from);
    bytes += after;
    from = at + before.size();
    ++count;
    TRY(deadline.check());
    if (bytes.size() > kMostMade) {
      return denied(fmt::format("'{}' would be longer than {} bytes", path, grouped(kMostMade)));
    }
  }
  bytes.append(old.bytes, from);
  TRY(put_in_place(place, old, bytes, path));
  return change_result(count == 1
                           ? fmt::format("edited '{}' at line {}", path, line_of(old.bytes, first))
                           : fmt::format("edited '{}' at {} places", path, grouped(count)),
                       name, old, bytes);
}

}  // namespace

Tool make_edit_file(SharedBase base) {
  Tool tool;
  tool.id = "edit_file";
  tool.description =
      "Replaces a piece of a file by another. 'old' must be exactly what the file holds, without "
      "line numbers, and stand there once, unless 'all' is set. Everything else stays as it is.";
  tool.parameters = kParameters;
  tool.tags = {"files"};
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(edit_file(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
