#include "trace/edit_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "graph/diff.h"

namespace spoor::trace {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array<std::string_view, 8> kPathMembers = {
    "file_path",   "filePath", "path", "notebook_path",
    "target_file", "filename", "file", "TargetFile"};
constexpr std::array<std::string_view, 5> kPatchMembers = {"patch", "diff", "input", "patch_text",
                                                           "patchText"};
constexpr std::array kOldAndNew = {Pair{"old_string", "new_string"}, Pair{"oldString", "newString"},
                                   Pair{"oldText", "newText"},       Pair{"old_str", "new_str"},
                                   Pair{"old_text", "new_text"},     Pair{"old", "new"}};
constexpr std::array<std::string_view, 4> kWholeMembers = {"content", "file_text", "contents",
                                                           "fileText"};

// The lines of a text, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool next(std::string_view& line) {
    if (text_.empty()) return false;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line = text_.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return true;
  }

 private:
  std::string_view text_;
};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void add(std::optional<std::int64_t>& count, std::int64_t more) {
  if (count) *count += more;
}

// --- Patches -----------------------------------------------------------------

std::vector<FileEdit> edits_of_codex(std::string_view text) {
  std::vector<FileEdit> edits;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (take_prefix(line, "*** Update File: ") || take_prefix(line, "*** Add File: ")) {
      edits.push_back({std::string(line), 0, 0});
    } else if (take_prefix(line, "*** Delete File: ")) {
      edits.push_back({std::string(line), 0, std::nullopt});
    } else if (line.starts_with("*** End Patch")) {
      break;
    } else if (!edits.empty()) {
      if (line.starts_with('+')) add(edits.back().added, 1);
      if (line.starts_with('-')) add(edits.back().removed, 1);
    }
  }
  return edits;
}

// Reads `@@ -12,3 +12,4@`: the numbers of lines of the old and of the new file that follow. Leaves
// both unchanged if the line is not a complete header.
bool read_hunk(std::string_view line, std::int64_t& before, std::int64_t& after) {
  if (!take_prefix(line, "@@ -")) return false;
  std::int64_t old_lines = 0;
  std::int64_t new_lines = 0;
  const auto read = [&](std::int64_t& count) {
    std::int64_t start = 0;
    auto got = std::from_chars(line.data(), line.data() + line.size(), start);
    if (got.ec != std::errc()) return false;
    line.remove_prefix(static_cast<std::size_t>(got.ptr - line.data()));
    count = 1;
    if (!take_prefix(line, ",")) return true;
    got = std::from_chars(line.data(), line.data() + line.size(), count);
    if (got.ec != std::errc() || count < 0) return false;
    line.remove_prefix(static_cast<std::size_t>(got.ptr - line.data()));
    return true;
  };
  if (!read(old_lines) || !take_prefix(line, " +") || !read(new_lines)) return false;
  before = old_lines;
  after = new_lines;
  return true;
}

std::string path_in(std::string_view line) {
  line = line.substr(0, line.find('\t'));
  if (line.starts_with("a/") || line.starts_with("b/")) line.remove_prefix(2);
  return std::string(line);
}

std::vector<FileEdit> edits_of_unified(std::string_view text) {
  std::vector<FileEdit> edits;
  std::string old_path;
  std::int64_t before = 0;
  std::int64_t after = 0;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (before > 0 || after > 0) {
      const char kind = line.empty() ? ' ' : line.front();
      if (kind == '+') add(edits.back().added, 1);
      if (kind == '-') add(edits.back().removed, 1);
      if (kind != '+' && kind != '\\') --before;
      if (kind != '-' && kind != '\\') --after;
    } else if (take_prefix(line, "--- ")) {
      old_path = path_in(line);
    } else if (take_prefix(line, "+++ ")) {
      const std::string path = path_in(line);
      edits.push_back({path == "/dev/null" ? old_path : path, 0, 0});
    } else if (read_hunk(line, before, after) && edits.empty()) {
      edits.push_back({"", 0, 0});
    }
  }
  return edits;
}

// --- Old and new text --------------------------------------------------------

// Compares two pieces of a file. If one of them ends within a line, that is not a change.
FileEdit compare(std::string before, std::string after) {
  for (std::string* text : {&before, &after}) {
    if (!text->empty() && !text->ends_with('\n')) *text += '\n';
  }
  FileEdit edit{"", 0, 0};
  for (const graph::TextPiece& piece : graph::diff_lines(before, after)) {
    if (piece.kind == graph::TextPiece::Kind::added) add(edit.added, count_lines(piece.text));
    if (piece.kind == graph::TextPiece::Kind::removed) add(edit.removed, count_lines(piece.text));
  }
  return edit;
}

// Returns how often the old text is replaced; nullopt: everywhere.
std::optional<std::int64_t> times_of(const json::Value& edit) {
  for (const std::string_view key : {"replace_all", "replaceAll", "allow_multiple"}) {
    if (edit.find(key).is_true()) return std::nullopt;
  }
  constexpr std::int64_t kMost = 1'000'000;
  const auto times = edit.find("expected_replacements").integer().value_or(1);
  return times >= 1 && times <= kMost ? std::optional(times) : std::nullopt;
}

// Adds the change of one edit, or of a list of edits to one file.
bool add_replacements(const json::Value& edit, FileEdit& sum) {
  for (const auto& [old_key, new_key] : kOldAndNew) {
    const json::Value before = edit.find(old_key);
    const json::Value after = edit.find(new_key);
    if (!before.is_string() || !after.is_string()) continue;
    const FileEdit one = compare(before.text(), after.text());
    const auto times = times_of(edit);
    if (!times) {
      if (*one.added > 0) sum.added.reset();
      if (*one.removed > 0) sum.removed.reset();
      return true;
    }
    add(sum.added, *one.added * *times);
    add(sum.removed, *one.removed * *times);
    return true;
  }
  return false;
}

std::string path_of(const json::Value& arguments) {
  for (const std::string_view key : kPathMembers) {
    if (const json::Value path = arguments.find(key); path.is_string()) return path.text();
  }
  return {};
}

std::vector<FileEdit> edits_of_notebook(const json::Value& arguments, std::string path) {
  const json::Value source = arguments.find("new_source");
  if (!source.is_string()) return {};
  const std::string mode = arguments.find("edit_mode").text();
  FileEdit edit{std::move(path), count_lines(source.text()), std::nullopt};
  if (mode == "insert") edit.removed = 0;
  if (mode == "delete") edit.added = 0;
  return {edit};
}

// --- Results -----------------------------------------------------------------

// Parses `[{"lines":["-a","+b"]}]`; nullopt if it is not such a list, or is empty.
std::optional<FileEdit> edit_of_hunks(const json::Value& hunks) {
  if (!hunks.is_array() || hunks.size() == 0) return std::nullopt;
  FileEdit edit{"", 0, 0};
  for (const json::Value& hunk : hunks.elements()) {
    if (!hunk.find("lines").is_array()) return std::nullopt;
    for (const json::Value& line : hunk.find("lines").elements()) {
      const std::string text = line.text();
      if (text.starts_with('+')) add(edit.added, 1);
      if (text.starts_with('-')) add(edit.removed, 1);
    }
  }
  return edit;
}

// Parses Pi's own form: each line with its sign and number, `+ 12 text`.
FileEdit edit_of_numbered(std::string_view diff) {
  FileEdit edit{"", 0, 0};
  Lines lines(diff);
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with('+')) add(edit.added, 1);
    if (line.starts_with('-')) add(edit.removed, 1);
  }
  return edit;
}

// --- Diffs -------------------------------------------------------------------

using Diff = std::vector<graph::UnifiedLine>;

void append_lines(Diff& diff, char kind, std::string_view text) {
  Lines lines(text);
  for (std::string_view line; lines.next(line);) diff.push_back({kind, std::string(line)});
}

// Returns a line with its sign; a line without a sign is context.
graph::UnifiedLine signed_line(std::string_view line) {
  constexpr std::string_view kSigns = "+-@\\ ";
  const bool has_sign = !line.empty() && kSigns.find(line.front()) != std::string_view::npos;
  if (line.starts_with("@@")) return {'@', std::string(line)};
  if (!has_sign || line.front() == '@') return {' ', std::string(line)};
  return {line.front(), std::string(line.substr(1))};
}

bool is_same_file(std::string_view wanted, std::string_view named) {
  if (wanted.empty() || wanted == named) return true;
  const bool is_end = wanted.size() > named.size() && wanted.ends_with(named);
  return is_end && wanted[wanted.size() - named.size() - 1] == '/';
}

Diff diff_of_codex(std::string_view text, std::string_view path) {
  Diff diff;
  bool is_wanted = false;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with("*** End Patch")) break;
    if (take_prefix(line, "*** Update File: ") || take_prefix(line, "*** Add File: ") ||
        take_prefix(line, "*** Delete File: ")) {
      is_wanted = is_same_file(path, line);
    } else if (is_wanted && !line.starts_with("*** ")) {
      diff.push_back(signed_line(line));
    }
  }
  return diff;
}

Diff diff_of_unified(std::string_view text, std::string_view path) {
  Diff diff;
  bool is_wanted = true;
  std::string old_path;
  std::int64_t before = 0;
  std::int64_t after = 0;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (before > 0 || after > 0) {
      const graph::UnifiedLine shown = signed_line(line);
      if (is_wanted) diff.push_back(shown);
      if (shown.kind != '+' && shown.kind != '\\') --before;
      if (shown.kind != '-' && shown.kind != '\\') --after;
    } else if (take_prefix(line, "--- ")) {
      old_path = path_in(line);
    } else if (take_prefix(line, "+++ ")) {
      const std::string named = path_in(line);
      is_wanted = is_same_file(path, named == "/dev/null" ? old_path : named);
    } else if (read_hunk(line, before, after) && is_wanted) {
      diff.push_back({'@', std::string(line)});
    }
  }
  return diff;
}

bool append_replacement(Diff& diff, const json::Value& edit) {
  for (const auto& [old_key, new_key] : kOldAndNew) {
    const json::Value before = edit.find(old_key);
    const json::Value after = edit.find(new_key);
    if (!before.is_string() || !after.is_string()) continue;
    // The pieces may begin anywhere in the file: their line numbers would be wrong.
    for (graph::UnifiedLine& line : graph::unified_diff(before.text(), after.text())) {
      if (line.kind == '@') line.text = "@@";
      if (line.kind != '\\') diff.push_back(std::move(line));
    }
    return true;
  }
  return false;
}

Diff diff_of_hunks(const json::Value& hunks) {
  Diff diff;
  for (const json::Value& hunk : hunks.elements()) {
    const auto number = [&](const char* key) { return hunk.find(key).integer().value_or(0); };
    diff.push_back({'@', fmt::format("@@ -{},{} +{},{} @@", number("oldStart"), number("oldLines"),
                                     number("newStart"), number("newLines"))});
    for (const json::Value& line : hunk.find("lines").elements()) {
      diff.push_back(signed_line(line.text()));
    }
  }
  return diff;
}

}  // namespace

std::vector<graph::UnifiedLine> diff_in_patch(std::string_view patch, std::string_view path) {
  const std::size_t begin = patch.find("*** Begin Patch");
  if (begin != std::string_view::npos) return diff_of_codex(patch.substr(begin), path);
  return diff_of_unified(patch, path);
}

bool is_deleted_in_patch(std::string_view patch, std::string_view path) {
  if (path.empty()) return false;
  Lines lines(patch);
  for (std::string_view line; lines.next(line);) {
    if (take_prefix(line, "*** Delete File: ") && is_same_file(path, line)) return true;
  }
  return false;
}

std::vector<graph::UnifiedLine> diff_in_arguments(const json::Value& arguments,
                                                  std::string_view path) {
  for (const std::string_view key : kPatchMembers) {
    Diff diff = diff_in_patch(arguments.find(key).text(), path);
    if (!diff.empty()) return diff;
  }
  Diff diff;
  bool is_edit = append_replacement(diff, arguments);
  for (const json::Value& each : arguments.find("edits").elements()) {
    if (append_replacement(diff, each)) is_edit = true;
  }
  if (is_edit) return diff;
  for (const std::string_view key :
       {"new_str", "content", "file_text", "contents", "fileText", "new_source"}) {
    const json::Value text = arguments.find(key);
    if (!text.is_string()) continue;
    append_lines(diff, '+', text.text());
    return diff;
  }
  return diff;
}

std::vector<graph::UnifiedLine> diff_in_result(std::string_view attached) {
  const auto document = json::parse(attached);
  if (!document) return {};
  const json::Value said = document->root().find("toolUseResult");
  if (said.find("structuredPatch").size() > 0) return diff_of_hunks(said.find("structuredPatch"));
  const json::Value details = document->root().find("message").find("details");
  if (details.find("patch").is_string()) return diff_in_patch(details.find("patch").text(), "");
  Diff diff;
  const std::string numbered = details.find("diff").text();
  Lines lines(numbered);
  for (std::string_view line; lines.next(line);) diff.push_back(signed_line(line));
  return diff;
}

std::vector<Replacement> replacements_in_arguments(const json::Value& arguments) {
  std::vector<Replacement> replacements;
  const auto add_from = [&](const json::Value& edit) {
    for (const auto& [old_key, new_key] : kOldAndNew) {
      const json::Value before = edit.find(old_key);
      const json::Value after = edit.find(new_key);
      if (!before.is_string() || !after.is_string()) continue;
      replacements.push_back({before.text(), after.text(), !times_of(edit)});
      return;
    }
  };
  add_from(arguments);
  for (const json::Value& each : arguments.find("edits").elements()) add_from(each);
  return replacements;
}

std::optional<std::string> whole_text_in_arguments(const json::Value& arguments) {
  for (const std::string_view key : kWholeMembers) {
    if (const json::Value whole = arguments.find(key); whole.is_string()) return whole.text();
  }
  return std::nullopt;
}

std::int64_t count_lines(std::string_view text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

std::vector<FileEdit> edits_in_patch(std::string_view text) {
  const std::size_t begin = text.find("*** Begin Patch");
  if (begin != std::string_view::npos) return edits_of_codex(text.substr(begin));
  return edits_of_unified(text);
}

std::vector<FileEdit> edits_in_arguments(const json::Value& arguments) {
  for (const std::string_view key : kPatchMembers) {
    std::vector<FileEdit> edits = edits_in_patch(arguments.find(key).text());
    if (edits.empty()) continue;
    if (edits.size() == 1 && edits[0].path.empty()) edits[0].path = path_of(arguments);
    return edits;
  }
  FileEdit sum{path_of(arguments), 0, 0};
  bool is_edit = add_replacements(arguments, sum);
  for (const json::Value& each : arguments.find("edits").elements()) {
    if (add_replacements(each, sum)) is_edit = true;
  }
  if (is_edit) return {sum};
  if (arguments.find("command").equals("insert") && arguments.find("new_str").is_string()) {
    return {{sum.path, count_lines(arguments.find("new_str").text()), 0}};
  }
  for (const std::string_view key : kWholeMembers) {
    const json::Value whole = arguments.find(key);
    if (!whole.is_string()) continue;
    const bool is_new = arguments.find("command").equals("create");
    return {{sum.path, count_lines(whole.text()),
             is_new ? std::optional<std::int64_t>(0) : std::nullopt}};
  }
  return edits_of_notebook(arguments, sum.path);
}

std::optional<FileEdit> edit_in_result(std::string_view attached) {
  const auto document = json::parse(attached);
  if (!document) return std::nullopt;
  const json::Value root = document->root();
  if (const json::Value said = root.find("toolUseResult"); said.is_object()) {
    auto edit = edit_of_hunks(said.find("structuredPatch"));
    if (!edit && said.find("type").equals("create")) edit = FileEdit{"", std::nullopt, 0};
    if (!edit && said.find("type").equals("update")) edit = FileEdit{"", 0, 0};  // Unchanged.
    if (edit) edit->path = said.find("filePath").text();
    return edit;
  }
  const json::Value details = root.find("message").find("details");
  if (details.find("patch").is_string()) {
    auto edits = edits_in_patch(details.find("patch").text());
    if (edits.size() == 1) return edits.front();
  }
  if (details.find("diff").is_string()) return edit_of_numbered(details.find("diff").text());
  return std::nullopt;
}

}  // namespace spoor::trace
