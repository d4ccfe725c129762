#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/find_text.h"
#include "agent/builtin/folder_walk.h"
#include "agent/builtin/glob.h"
#include "agent/builtin/kept_output.h"

// Plain text, not regular expressions: those of the C and C++ libraries take exponential time or
// stack on patterns that are easily written, and no other engine is linked. A plain search is
// linear whatever a model asks for.

namespace spoor::agent::builtin {
namespace {

constexpr std::size_t kMostFile = 64 * 1024 * 1024;
constexpr std::size_t kLongLine = 400;
constexpr std::size_t kBeforeMatch = 100;

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1,
      "description": "the text to find within a line; plain, not a regular expression"},
    "path": {"type": "string",
      "description": "a file or folder, relative to the root folder (default: the root folder)"
}
, "glob" : {
  "type" : "string",
  "description" : "only files whose names match: *.cc,*.h (a pattern with / matches the path)"
},
           "ignore_case" : {
  "type" : "boolean", "description" : "A is a, in ASCII (default false)"
}
}
, "required" : ["pattern"], "additionalProperties" : false
})json";

void lower(std::string& text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

// A line as it is shown: of a long one the part around the match.
std::string part_of(std::string_view line, std::size_t match) {
  if (line.size() <= kLongLine) return std::string(line);
  const std::size_t begin = match < kBeforeMatch ? 0 : match - kBeforeMatch;
  const std::string_view part = beginning_of(line.substr(begin), kLongLine);
  return fmt::format("{}{}{}", begin == 0 ? "" : "[cut] ", part,
                     begin + part.size() == line.size() ? "" : " [cut]");
}

class Search {
 public:
  Search(const Base& base, std::string pattern, bool ignore_case, const Deadline& deadline)
      : base_(base), pattern_(std::move(pattern)), ignore_case_(ignore_case), deadline_(deadline) {
    if (ignore_case_) lower(pattern_);
  }

  // False when there is no room for more.
  Result<bool> file(const Descriptor& file, std::string_view path) {
    struct stat found {};
    if (::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode)) return true;
    std::string bytes = TRY(read_bytes(file, kLookedAt, deadline_));
    if (find_binary(bytes)) return true;
    bytes += TRY(read_bytes(file, kMostFile - bytes.size() + 1, deadline_));
    if (bytes.size() > kMostFile) {
      ++too_long_;
      return true;
    }
    return lines(bytes, path);
  }

  std::size_t matches() const { return matches_; }
  std::size_t too_long() const { return too_long_; }
  std::string take() { return std::move(text_); }

 private:
  Result<bool> lines(const std::string& bytes, std::string_view path) {
    std::string lowered;
    if (ignore_case_) lower(lowered = bytes);
    const std::string_view searched = ignore_case_ ? lowered : bytes;
    std::size_t number = 1;
    std::size_t line = 0;  // Where line `number` begins.
    std::size_t at = find_text(searched, pattern_);
    while (at != std::string_view::npos) {
      TRY(deadline_.check());
      for (std::size_t end = bytes.find('\n', line); end < at; end = bytes.find('\n', line)) {
        line = end + 1;
        ++number;
      }
      const std::size_t end = std::min(bytes.find('\n', line), bytes.size());
      std::string_view whole = std::string_view(bytes).substr(line, end - line);
      if (!whole.empty() && whole.back() == '\r') whole.remove_suffix(1);
      const std::string shown =
          fmt::format("{}:{}:{}\n", shown_path(path), number, part_of(whole, at - line));
      if (text_.size() + shown.size() > base_.settings.output_cap) return false;
      text_ += shown;
      ++matches_;
      if (end == bytes.size()) break;
      at = find_text(searched, pattern_, end + 1);
    }
    return true;
  }

  const Base& base_;
  std::string pattern_;
  const bool ignore_case_;
  const Deadline& deadline_;
  std::string text_;
  std::size_t matches_ = 0;
  std::size_t too_long_ = 0;
};

Result<ToolResult> grep(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  std::string pattern = TRY(arguments.text("pattern"));
  const std::string path = TRY(arguments.text_or("path", "."));
  const std::string globs = TRY(arguments.text_or("glob", "*"));
  const bool ignore_case = TRY(arguments.flag("ignore_case"));
  const std::string inside = TRY(base.root.relative(path));
  if (pattern.empty()) return store::invalid("'pattern' is empty");
  if (pattern.find('\n') != std::string::npos) {
    return store::invalid("'pattern' has a line end in it", "it is looked for within one line");
  }
  const bool looks_like_expression = pattern.find_first_of("\\*+?|[^$") != std::string::npos;
  const Deadline deadline(context);
  Search search(base, std::move(pattern), ignore_case, deadline);

  bool is_all = true;
  bool is_partial = false;
  if (Result<Descriptor> folder = base.root.folder(path)) {
    Result<void> problem;
    is_partial =
        TRY(walk_folder(std::move(folder).value(), inside == "." ? "" : inside + "/", deadline,
                        [&](const Entry& entry) {
                          if (entry.kind == Entry::Kind::folder) {
                            return entry.name == ".git" ? Entry::Step::skip : Entry::Step::go_on;
                          }
                          if (entry.kind != Entry::Kind::file) return Entry::Step::go_on;
                          if (!matches_globs(globs, entry.path, entry.name))
                            return Entry::Step::go_on;
                          const Descriptor file(
                              ::openat(entry.folder, std::string(entry.name).c_str(),
                                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
                          if (!file) {
                            is_partial = true;
                            return Entry::Step::go_on;
                          }
                          const Result<bool> goes_on = search.file(file, entry.path);
                          if (!goes_on) problem = goes_on.error();
                          is_all = goes_on && goes_on.value();
                          return is_all ? Entry::Step::go_on : Entry::Step::end;
                        })) ||
        is_partial;
    if (!problem) return problem.error();
  } else {
    const Descriptor file = TRY(base.root.file(path));
    is_all = TRY(search.file(file, inside));
  }

  ToolResult result = gave({});
  result.facts.set_integer("matches", static_cast<std::int64_t>(search.matches()));
  result.text = search.take();
  if (!is_all) result.text += "[more lines match: give a longer pattern, a path or a glob]\n";
  if (search.too_long() > 0) {
    result.text += fmt::format("[{} files of more than {} bytes were passed over]\n",
                               search.too_long(), grouped(kMostFile));
  }
  if (is_partial) result.text += "[some files or folders could not be read]\n";
  if (search.matches() == 0 && is_all) {
    result.text += "[no line matches";
    if (looks_like_expression) result.text += "; the pattern is plain text, no regular expression";
    result.text += "]\n";
  }
  return result;
}

}  // namespace

Tool make_grep(SharedBase base) {
  Tool tool;
  tool.id = "grep";
  tool.description =
      "Finds the lines of text files that hold a text and gives them as path:line:text. The "
      "pattern "
      "is plain text, not a regular expression. Passes over binary files, '.git' and symbolic "
      "links.";
  tool.parameters = kParameters;
  tool.tags = {"files", "search"};
  tool.read_only = true;
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(grep(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
