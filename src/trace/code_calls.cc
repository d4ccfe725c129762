#include "trace/code_calls.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "trace/command_words.h"

namespace spoor::trace {
namespace {

constexpr int kDeepestLiteral = 16;
constexpr std::size_t kMostInserted = 4 << 20;  // Bytes that replace names, in total.

// Skills of OpenHands' Python: those that write the file in their first argument, and read-only
// ones.
constexpr std::string_view kSkillsThatEdit =
    "edit_file_by_replace insert_content_at_line append_file create_file edit_file "
    "edit_file_by_line";
constexpr std::string_view kSkillsThatLook =
    "open_file goto_line scroll_up scroll_down search_dir search_file find_file";

// Names by which JavaScript can do more than call its tools.
constexpr std::string_view kWaysOut =
    "eval Function globalThis import require constructor Reflect Proxy fetch process this with";

constexpr std::string_view kBinders = "let var function catch class";

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

void append_code_point(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// The values of names, as JSON.
struct Constants {
  std::map<std::string, std::string, std::less<>> values;
  std::size_t inserted = 0;

  std::optional<std::string> find(std::string_view name) {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    inserted += found->second.size();
    return inserted <= kMostInserted ? std::optional(found->second) : std::nullopt;
  }
};

// Reads the syntax that both languages share: names, literals, blanks and comments.
class Scanner {
 public:
  Scanner(std::string_view text, bool is_python) : text_(text), is_python_(is_python) {}

  bool is_done() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  // Never moves past the end: an open construct, such as a backslash, may be the last byte.
  void step() {
    if (!is_done()) ++at_;
  }

  bool take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }

  void skip_blanks() {
    while (!is_done()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        step();
      } else if (is_python_ ? c == '#' : (c == '/' && peek(1) == '/')) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (!is_python_ && c == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (!is_done() && is_name(peek())) step();
    return text_.substr(begin, at_ - begin);
  }

  bool is_at_string() const {
    return peek() == '"' || peek() == '\'' || (!is_python_ && peek() == '`');
  }

  // Returns nullopt for a string without an end, or one that is built at run time; skips the
  // latter.
  std::optional<std::string> string() {
    std::string quote(1, peek());
    if (is_python_ && peek(1) == quote[0] && peek(2) == quote[0]) quote = std::string(3, quote[0]);
    at_ += quote.size();
    std::string said;
    bool is_literal = true;
    while (!take(quote)) {
      if (is_done() || (peek() == '\n' && quote.size() == 1 && quote != "`")) {
        at_ = text_.size();
        return std::nullopt;
      }
      if (quote == "`" && peek() == '$' && peek(1) == '{') is_literal = false;
      if (peek() == '\\') {
        step();
        escape(said);
      } else {
        said += peek();
        step();
      }
    }
    return is_literal ? std::optional(std::move(said)) : std::nullopt;
  }

  // Returns a literal as JSON.
  std::optional<std::string> value(Constants& known, int depth = 0) {
    skip_blanks();
    if (depth > kDeepestLiteral || is_done()) return std::nullopt;
    if (is_at_string()) {
      const auto said = string();
      return said ? std::optional(json::write_string(*said)) : std::nullopt;
    }
    if (take("{")) return object(known, depth);
    if (take("[")) return list(known, depth);
    const std::size_t begin = at_;
    if (peek() == '-') step();
    while (is_name(peek()) || peek() == '.') step();
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "True") return "true";
    if (word == "false" || word == "False") return "false";
    if (word == "null" || word == "None" || word == "undefined") return "null";
    const auto number = json::parse(word);
    if (number && number->root().is_number()) return std::string(word);
    return known.find(word);
  }

 private:
  void escape(std::string& said) {
    const char c = peek();
    step();
    switch (c) {
      case 'n':
        said += '\n';
        return;
      case 't':
        said += '\t';
        return;
      case 'r':
        said += '\r';
        return;
      case '\n':
        return;
      case 'x':
        return append_code_point(said, hex(2));
      case 'u':
        return append_code_point(said, hex(4));
      default:
        said += c;
    }
  }

  std::uint32_t hex(int digits) {
    std::uint32_t code = 0;
    for (int i = 0; i < digits; ++i) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return code;
      code = code * 16 + static_cast<std::uint32_t>(digit);
      step();
    }
    return code;
  }

  std::optional<std::string> object(Constants& known, int depth) {
    json::Object made;
    while (true) {
      skip_blanks();
      if (take("}")) return made.write();
      const auto key = is_at_string() ? string() : std::optional(std::string(name()));
      if (!key || key->empty()) return std::nullopt;
      skip_blanks();
      if (!take(":")) {  // `{patch}` means `{patch: patch}`.
        auto held = known.find(*key);
        if (!held || (peek() != ',' && peek() != '}')) return std::nullopt;
        made.add_json(*key, std::move(*held));
      } else {
        auto held = value(known, depth + 1);
        if (!held) return std::nullopt;
        made.add_json(*key, std::move(*held));
      }
      skip_blanks();
      if (!take(",") && peek() != '}') return std::nullopt;
    }
  }

  std::optional<std::string> list(Constants& known, int depth) {
    std::vector<std::string> made;
    while (true) {
      skip_blanks();
      if (take("]")) return json::write_array(made);
      auto held = value(known, depth + 1);
      if (!held) return std::nullopt;
      made.push_back(std::move(*held));
      skip_blanks();
      if (!take(",") && peek() != ']') return std::nullopt;
    }
  }

  std::string_view text_;
  bool is_python_;
  std::size_t at_ = 0;
};

// Finds every `tools.NAME(…)`. Any other use of `tools` may call anything.
CodeCalls read_javascript(std::string_view code) {
  CodeCalls found;
  Scanner scanner(code, false);
  Constants known;
  bool is_member = false;   // After a point.
  bool binds_more = false;  // A name may have another meaning somewhere.
  while (true) {
    scanner.skip_blanks();
    if (scanner.is_done()) {
      if (binds_more && known.inserted > 0) found.is_whole = false;
      return found;
    }
    if (scanner.is_at_string()) {
      found.is_whole = scanner.string().has_value() && found.is_whole;
      continue;
    }
    const std::string_view word = scanner.name();
    if (word.empty()) {
      // This may be a regular expression, in which quotes have no meaning.
      if (scanner.peek() == '/') found.is_whole = false;
      const bool is_spread = scanner.take("...");
      if (scanner.peek() == '=' && scanner.peek(1) == '>') binds_more = true;
      is_member = !is_spread && scanner.peek() == '.';
      if (!is_spread) scanner.step();
      continue;
    }
    const bool is_own = !is_member;
    is_member = false;
    if (lists(kWaysOut, word) && (is_own || word == "constructor")) found.is_whole = false;
    if (is_own && lists(kBinders, word)) binds_more = true;
    if (is_own && word == "const") {
      scanner.skip_blanks();
      const std::string name(scanner.name());
      scanner.skip_blanks();
      if (name.empty()) binds_more = true;
      if (name.empty() || !scanner.take("=")) continue;
      binds_more = binds_more || known.values.contains(name);
      Scanner ahead = scanner;
      auto held = ahead.value(known);
      ahead.skip_blanks();
      const bool is_all = held && (ahead.is_done() || ahead.peek() == ';' || ahead.peek() == '\n');
      if (is_all) known.values.insert_or_assign(name, std::move(*held));
      continue;
    }
    if (!is_own || word != "tools") continue;
    scanner.skip_blanks();
    const bool is_call = scanner.take(".");
    const std::string tool(is_call ? scanner.name() : std::string_view());
    scanner.skip_blanks();
    if (tool.empty() || !scanner.take("(")) {
      found.is_whole = false;
      continue;
    }
    Scanner ahead = scanner;
    ahead.skip_blanks();
    auto held = ahead.peek() == ')' ? std::optional<std::string>("{}") : ahead.value(known);
    ahead.skip_blanks();
    if (held && ahead.take(")")) {
      found.calls.push_back({tool, std::move(*held)});
      scanner = ahead;
    } else {
      found.is_whole = false;
    }
  }
}

// A program is whole if it only calls known skills.
CodeCalls read_python(std::string_view code) {
  CodeCalls found;
  Scanner scanner(code, true);
  Constants none;
  while (true) {
    scanner.skip_blanks();
    if (scanner.is_done()) return found;
    if (scanner.is_at_string()) {
      scanner.string();
      found.is_whole = false;
      continue;
    }
    const std::string word(scanner.name());
    if (word.empty()) {
      if (scanner.peek() != ';') found.is_whole = false;
      scanner.step();
      continue;
    }
    const bool edits = lists(kSkillsThatEdit, word);
    const bool is_skill = edits || lists(kSkillsThatLook, word);
    scanner.skip_blanks();
    if (!is_skill || !scanner.take("(")) {
      found.is_whole = false;
      continue;
    }
    std::string path;
    bool is_first = true;
    while (true) {
      scanner.skip_blanks();
      if (scanner.take(")")) break;
      Scanner ahead = scanner;
      const std::string name(ahead.name());
      ahead.skip_blanks();
      const bool is_named = !name.empty() && ahead.take("=");
      if (is_named) scanner = ahead;
      auto held = scanner.value(none);
      scanner.skip_blanks();
      if (!held || (!scanner.take(",") && scanner.peek() != ')')) {
        found.is_whole = false;
        break;
      }
      const bool is_path =
          is_named ? name == "file_name" || name == "filename" || name == "path" : is_first;
      if (is_path) path = *held;
      is_first = false;
    }
    if (!edits) continue;
    if (path.empty()) {
      found.is_whole = false;
    } else {
      found.calls.push_back({"edit_file", "{\"path\":" + path + "}"});
    }
  }
}

}  // namespace

CodeCalls read_codex_javascript(std::string_view code) { return read_javascript(code); }

CodeCalls read_openhands_python(std::string_view code) { return read_python(code); }

}  // namespace spoor::trace
