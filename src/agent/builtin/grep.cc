#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <re2/re2.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/folder_walk.h"
#include "agent/builtin/glob.h"
#include "agent/builtin/kept_output.h"
#include "agent/numbers.h"
#include "base/find_text.h"
#include "base/text.h"

// Searches for plain text, or an expression with `regex`. Both are linear for any pattern.

namespace spoor::agent::builtin {
namespace {

constexpr std::size_t kMostFile = 64 * 1024 * 1024;
constexpr std::size_t kLongLine = 400;
constexpr std::size_t kBeforeMatch = 100;
constexpr std::size_t kSearchedByRegex = 100'000;  // Bytes of a line; limits the time of a call.
constexpr std::size_t kLinesBetweenLooks = 256;

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1,
      "description": "the text to find within a line; plain unless 'regex' is set"},
    "regex": {"type": "boolean",
      "description": "the pattern is a regular expression: . [] * + ? {} () | ^ $ \\d \\w \\s \\b"},
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

// Returns a line as shown; of a long line, the part around the match.
std::string part_of(std::string_view line, std::size_t match) {
  if (line.size() <= kLongLine) return std::string(line);
  const std::size_t begin = match < kBeforeMatch ? 0 : match - kBeforeMatch;
  const std::string_view part = beginning_of(line.substr(begin), kLongLine);
  return fmt::format("{}{}{}", begin == 0 ? "" : "[cut] ", part,
                     begin + part.size() == line.size() ? "" : " [cut]");
}

Result<std::unique_ptr<RE2>> parse_regex(std::string_view pattern, bool ignore_case) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!ignore_case);
  auto regex = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (regex->ok()) return regex;
  return invalid(fmt::format("the expression is wrong: {}", regex->error()),
                 "without 'regex' the pattern is plain text");
}

class Search {
 public:
  // With a `regex`, `pattern` is ignored.
  Search(const Base& base, std::string pattern, bool ignore_case, std::unique_ptr<RE2> regex,
         const Deadline& deadline)
      : base_(base),
        pattern_(std::move(pattern)),
        ignore_case_(ignore_case),
        regex_(std::move(regex)),
        deadline_(deadline),
        hidden_(base.root.closed().store.files()) {
    if (ignore_case_) pattern_ = lowered(pattern_);
  }

  // Returns false if the output is full.
  Result<bool> file(const Descriptor& file, std::string_view path) {
    struct stat found {};
    if (::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode)) return true;
    if (hidden_.hold(found)) return true;
    std::string bytes = TRY(read_bytes(file, kLookedAt, deadline_));
    if (find_binary(bytes)) return true;
    bytes += TRY(read_bytes(file, kMostFile - bytes.size() + 1, deadline_));
    if (bytes.size() > kMostFile) {
      ++too_long_;
      return true;
    }
    return regex_ ? lines_by_regex(bytes, path) : lines_by_text(bytes, path);
  }

  bool hides(const Entry& entry) const {
    return base_.root.closed().store.covers(hidden_, entry.folder, entry.name);
  }

  std::size_t matches() const { return matches_; }
  std::size_t too_long() const { return too_long_; }
  std::string take() { return std::move(text_); }

 private:
  Result<bool> lines_by_text(const std::string& bytes, std::string_view path) {
    const std::string lowered = ignore_case_ ? spoor::lowered(bytes) : "";
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
      const std::string_view whole = std::string_view(bytes).substr(line, end - line);
      if (!show(path, number, whole, at - line)) return false;
      if (end == bytes.size()) break;
      at = find_text(searched, pattern_, end + 1);
    }
    return true;
  }

  Result<bool> lines_by_regex(std::string_view bytes, std::string_view path) {
    for (std::size_t number = 1; !bytes.empty(); ++number) {
      if (number % kLinesBetweenLooks == 0) TRY(deadline_.check());
      const std::size_t end = std::min(bytes.find('\n'), bytes.size());
      std::string_view line = bytes.substr(0, end);
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      const re2::StringPiece searched(line.data(), std::min(line.size(), kSearchedByRegex));
      re2::StringPiece match;
      if (!regex_->Match(searched, 0, searched.size(), RE2::UNANCHORED, &match, 1)) continue;
      const auto place = static_cast<std::size_t>(match.data() - line.data());
      if (!show(path, number, line, place)) return false;
    }
    return true;
  }

  // Returns false if the output is full.
  bool show(std::string_view path, std::size_t number, std::string_view line, std::size_t match) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string shown =
        fmt::format("{}:{}:{}\n", shown_path(path), number, part_of(line, match));
    if (text_.size() + shown.size() > base_.settings.output_cap) return false;
    text_ += shown;
    ++matches_;
    return true;
  }

  const Base& base_;
  std::string pattern_;
  const bool ignore_case_;
  const std::unique_ptr<RE2> regex_;
  const Deadline& deadline_;
  const StoreGuard::Files hidden_;
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
  const bool is_regex = TRY(arguments.flag("regex"));
  const std::string inside = TRY(base.root.relative(path));
  if (pattern.empty()) return invalid("'pattern' is empty");
  if (pattern.find('\n') != std::string::npos) {
    return invalid("'pattern' has a line end in it", "it is looked for within one line");
  }
  std::unique_ptr<RE2> regex;
  if (is_regex) regex = TRY(parse_regex(pattern, ignore_case));
  const bool looks_like_expression =
      !is_regex && pattern.find_first_of("\\*+?|[^$") != std::string::npos;
  const Deadline deadline(context);
  Search search(base, std::move(pattern), ignore_case, std::move(regex), deadline);

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
                          // Closing a file of the store would drop SQLite's locks on it.
                          if (search.hides(entry)) return Entry::Step::go_on;
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
  result.facts.set(fact::matches, static_cast<std::int64_t>(search.matches()));
  result.text = search.take();
  if (!is_all) result.text += "[more lines match: give a longer pattern, a path or a glob]\n";
  if (search.too_long() > 0) {
    result.text += fmt::format("[{} files of more than {} bytes were passed over]\n",
                               search.too_long(), grouped(kMostFile));
  }
  if (is_partial) result.text += "[some files or folders could not be read]\n";
  if (search.matches() == 0 && is_all) {
    result.text += "[no line matches";
    if (looks_like_expression) result.text += "; the pattern is plain text unless 'regex' is set";
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
