#include "guard/check/languages.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"

namespace spoor::guard::check {
namespace {

using Reason = std::optional<std::string>;

constexpr std::string_view kDigits = "0123456789";

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Reads a sed script: each of its commands in turn must be a known one.
class Sed {
 public:
  explicit Sed(std::string_view code) : code_(code) {}

  Reason doubt() {
    while (true) {
      skip(" \t\n;}");
      if (at_ >= code_.size()) return std::nullopt;
      if (!take_address()) return "its address is not understood";
      skip(" \t!");
      const char command = at_ < code_.size() ? code_[at_++] : '\0';
      if (!take_command(command)) return fmt::format("its command '{}' is not understood", command);
    }
  }

 private:
  void skip(std::string_view bytes) {
    at_ = std::min(code_.find_first_not_of(bytes, at_), code_.size());
  }
  char peek() const { return at_ < code_.size() ? code_[at_] : '\0'; }

  bool take_address() {
    while (true) {
      if (kDigits.find(peek()) != std::string_view::npos || peek() == '$') {
        ++at_;
        skip("0123456789~");
      } else if (peek() == '/' || peek() == '\\') {
        if (peek() == '\\') ++at_;
        if (!take_delimited(peek(), 1)) return false;
        skip("IM");
      }
      skip(" \t");
      if (peek() != ',') return true;
      ++at_;
      skip(" \t+~");
    }
  }

  // Skips `count` texts that end with the byte at `at_`.
  bool take_delimited(char end, int count) {
    ++at_;
    for (; at_ < code_.size(); ++at_) {
      const char c = code_[at_];
      if (c == '\\') {
        ++at_;
      } else if (c == '[') {
        // Implementations treat `[/]` differently.
        if (code_.find(']', at_ + 2) > code_.find(end, at_)) return false;
      } else if (c == end && --count == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  bool take_command(char command) {
    if (std::string_view("{}=dDgGhHnNpPxzF").find(command) != std::string_view::npos) return true;
    if (std::string_view("qQl").find(command) != std::string_view::npos) {
      skip(" 0123456789");
      return true;
    }
    if (command == 's' || command == 'y') {
      if (at_ >= code_.size() || !take_delimited(peek(), 2)) return false;
      if (command == 's') skip("gpiImM0123456789");
      skip(" \t");
      return at_ >= code_.size() ||
             std::string_view(";\n}#").find(peek()) != std::string_view::npos;
    }
    if (std::string_view("btT:#r").find(command) != std::string_view::npos) {
      const bool is_line = command == '#' || command == 'r';
      at_ = std::min(code_.find_first_of(is_line ? "\n" : "\n;}", at_), code_.size());
      return true;
    }
    if (std::string_view("aic").find(command) == std::string_view::npos) return false;
    // Skips a text, up to a line end without a backslash.
    do {
      at_ = std::min(code_.find('\n', at_ + 1), code_.size());
    } while (at_ < code_.size() && code_[at_ - 1] == '\\');
    return true;
  }

  std::string_view code_;
  std::size_t at_ = 0;
};

// Skips a string or regular expression of awk, which ends with the byte at `at`.
std::size_t past_quoted(std::string_view code, std::size_t at) {
  const char end = code[at];
  for (++at; at < code.size() && code[at] != end; ++at) {
    if (code[at] == '\\') ++at;
  }
  return std::min(at + 1, code.size());
}

// Checks an awk program: it starts programs with `|` and `system`, and writes files with `>` after
// a print.
Reason doubt_of_awk(std::string_view code) {
  bool prints = false;
  int open = 0;
  char before = '{';  // The last byte that was not a blank.
  for (std::size_t at = 0; at < code.size();) {
    const char c = code[at];
    const bool is_regex =
        c == '/' && std::string_view("{}(,;!~&|\n").find(before) != std::string_view::npos;
    if (c == '"' || is_regex) {
      at = past_quoted(code, at);
      before = '"';
      continue;
    }
    if (is_of_name(c)) {
      const std::size_t begin = at;
      while (at < code.size() && is_of_name(code[at])) ++at;
      const std::string_view name = code.substr(begin, at - begin);
      if (name == "system" || name == "getline") return fmt::format("it says '{}'", name);
      prints = prints || name == "print" || name == "printf";
      before = 'a';
      continue;
    }
    const char next = at + 1 < code.size() ? code[at + 1] : '\0';
    if (c == '|' && next == '|') {
      ++at;
    } else if (c == '|' || c == '@') {
      return fmt::format("it says '{}'", c);
    } else if (c == '>' && prints && open == 0) {
      return "it prints to a file";
    }
    if (c == '(') ++open;
    if (c == ')') --open;
    if (c == ';' || c == '}' || c == '\n') prints = false;
    if (c != ' ' && c != '\t') before = c;
    ++at;
  }
  return std::nullopt;
}

// Accepts `s/a/b/g` that contains no code for perl.
Reason doubt_of_perl(std::string_view code) {
  const bool is_one = code.size() > 4 && code.front() == 's' && !is_of_name(code[1]) &&
                      std::string_view("({[< ").find(code[1]) == std::string_view::npos;
  const std::size_t last = is_one ? code.find_last_not_of("gimsx;") : std::string_view::npos;
  const bool ends = is_one && code[last] == code[1];
  for (const std::string_view mark : {"(?{", "(??{", "@{", "${", "`", "$("}) {
    if (code.find(mark) != std::string_view::npos) return fmt::format("it says '{}'", mark);
  }
  const std::size_t middle = ends ? code.find(code[1], 2) : std::string_view::npos;
  const bool has_two = middle < last && code.find(code[1], middle + 1) == last;
  if (!has_two) return "it is not read";
  return std::nullopt;
}

// Returns the words of an SQL text, in capitals; `;` is a word.
std::vector<std::string> sql_words(std::string_view sql) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char c = sql[i];
    const char next = i + 1 < sql.size() ? sql[i + 1] : '\0';
    if (c == '-' && next == '-') {
      finish();
      i = std::min(sql.find('\n', i), sql.size());
    } else if (c == '/' && next == '*') {
      finish();
      const std::size_t end = sql.find("*/", i + 2);
      i = end == std::string_view::npos ? sql.size() : end + 1;
    } else if (c == '\'') {
      finish();
      i = std::min(sql.find('\'', i + 1), sql.size());
      words.emplace_back("''");
    } else if (is_of_name(c) || std::string_view(".\"`\\").find(c) != std::string_view::npos ||
               (static_cast<unsigned char>(c) & 0x80U) != 0) {
      word += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    } else {
      finish();
      if (c == ';') words.emplace_back(";");
    }
  }
  finish();
  return words;
}

}  // namespace

Reason doubt_of(std::string_view language, std::string_view code) {
  if (language == "sed") return Sed(code).doubt();
  if (language == "awk") return doubt_of_awk(code);
  if (language == "perl") return doubt_of_perl(code);
  return "it is not read";
}

Reason doubt_of_sql(std::string_view sql) {
  constexpr std::array<std::string_view, 33> kKnown = {
      "SELECT",   "INSERT",  "UPDATE",   "DELETE",   "CREATE",   "ALTER",      "DROP",
      "TRUNCATE", "WITH",    "EXPLAIN",  "SHOW",     "DESCRIBE", "DESC",       "USE",
      "BEGIN",    "COMMIT",  "ROLLBACK", "VALUES",   "ANALYZE",  "VACUUM",     "PRAGMA",
      ".SCHEMA",  ".TABLES", ".MODE",    ".HEADERS", ".INDEXES", ".DATABASES", "\\D",
      "\\DT",     "\\L",     "\\DI",     "\\DN",     "\\X"};
  constexpr std::array<std::string_view, 13> kActs = {
      "PROGRAM",   "OUTFILE",     "DUMPFILE",    "WRITEFILE", "LOAD_EXTENSION",
      "LO_EXPORT", "XP_CMDSHELL", "SYS_EXEC",    "SYS_EVAL",  "EDIT",
      "COPY",      "LO_IMPORT",   "PG_READ_FILE"};
  bool begins = true;
  for (const std::string& word : sql_words(sql)) {
    if (is_in(kActs, word)) return fmt::format("it says '{}'", word);
    if (begins && word != ";" && !is_in(kKnown, word)) return fmt::format("it says '{}'", word);
    if (!begins && word.starts_with('\\')) return fmt::format("it says '{}'", word);
    begins = word == ";";
  }
  return std::nullopt;
}

Reason sql_destroys(std::string_view sql) {
  const std::vector<std::string> words = sql_words(sql);
  constexpr std::array<std::string_view, 5> kLasting = {"TABLE", "DATABASE", "SCHEMA", "KEYSPACE",
                                                        "TABLESPACE"};
  bool begins = true;  // At the start of a statement.
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
    const bool was_beginning = begins;
    begins = word == ";";
    if (!was_beginning) continue;
    if (word == "DROP" && is_in(kLasting, next)) return fmt::format("DROP {}", next);
    if (word == "TRUNCATE" && !next.empty() && next != ";") return "TRUNCATE";
    if (word == "DELETE" && next == "FROM") {
      std::size_t end = i;
      while (end < words.size() && words[end] != ";" && words[end] != "WHERE") ++end;
      const bool has_where = end < words.size() && words[end] == "WHERE";
      if (!has_where) return "DELETE without WHERE";
    }
  }
  return std::nullopt;
}

}  // namespace spoor::guard::check
