#include "audit/event/shell_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace spoor::audit {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_operator(char c) { return std::string_view(";&|()\n").find(c) != std::string_view::npos; }

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const std::string_view name = word.substr(0, equals);
  return std::all_of(name.begin(), name.end(), is_name_char) && !(name[0] >= '0' && name[0] <= '9');
}

class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  std::vector<Words> read() {
    while (at_ < text_.size()) step();
    end_word();
    end_command();
    return std::move(commands_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (is_blank(c)) {
      ++at_;
      end_word();
    } else if (is_operator(c)) {
      ++at_;
      end_word();
      end_command();
      if (c == '\n') skip_documents();
    } else if (c == '#' && !is_in_word_) {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (c == '<' || c == '>') {
      redirection();
    } else {
      take(c);
    }
  }

  void take(char c) {
    is_in_word_ = true;
    ++at_;
    if (c == '\\') {
      if (at_ == text_.size()) return;
      if (text_[at_] != '\n') word_ += text_[at_];
      ++at_;
    } else if (c == '\'') {
      while (at_ < text_.size() && text_[at_] != '\'') word_ += text_[at_++];
      if (at_ < text_.size()) ++at_;
    } else if (c == '"') {
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        word_ += text_[at_++];
      }
      if (at_ < text_.size()) ++at_;
    } else if (c != '`') {
      word_ += c;
    } else {
      end_word();
      end_command();
    }
  }

  // `2>&1`, `> file`, `<<EOF`: with what it points to.
  void redirection() {
    const bool is_number =
        !word_.empty() && word_.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) drop_word();
    end_word();
    std::size_t arrows = 0;
    while (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>')) ++at_, ++arrows;
    const bool is_document = arrows == 2 && text_[at_ - 1] == '<';
    if (at_ < text_.size() && text_[at_] == '(') return;  // A process substitution.
    while (at_ < text_.size() && (text_[at_] == '&' || text_[at_] == '|' || text_[at_] == '-')) {
      ++at_;
    }
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && !is_operator(text_[at_]))
      take(text_[at_]);
    if (is_document) documents_.push_back(word_);
    drop_word();
  }

  // The bodies of here-documents that the line before named.
  void skip_documents() {
    for (const std::string& end : std::exchange(documents_, {})) {
      while (at_ < text_.size()) {
        const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, line_end - at_);
        at_ = std::min(line_end + 1, text_.size());
        while (!line.empty() && line.front() == '\t') line.remove_prefix(1);
        if (line == end) break;
      }
    }
  }

  void drop_word() {
    word_.clear();
    is_in_word_ = false;
  }
  void end_word() {
    if (!is_in_word_) return;
    constexpr std::array<std::string_view, 13> kReserved = {
        "{", "}", "!", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "$"};
    const bool is_first = command_.empty();
    const bool is_reserved =
        is_first && std::find(kReserved.begin(), kReserved.end(), word_) != kReserved.end();
    const bool is_no_word = is_first && (is_reserved || is_assignment(word_));
    if (!is_no_word) command_.push_back(std::move(word_));
    drop_word();
  }
  void end_command() {
    if (!command_.empty()) commands_.push_back(std::move(command_));
    command_.clear();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool is_in_word_ = false;
  Words command_;
  std::vector<Words> commands_;
  std::vector<std::string> documents_;
};

std::string_view name_of_program(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0.
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Takes a program that only starts another one from the front.
bool strip_starter(std::span<const std::string>& argv) {
  const std::string_view program = name_of_program(argv.front());
  const bool is_starter =
      is_one_of(program, {"sudo", "doas", "env", "nohup", "time", "nice", "exec", "command",
                          "builtin", "timeout", "stdbuf", "npx", "bunx", "xargs"});
  if (!is_starter) return false;
  argv = argv.subspan(1);
  bool takes_duration = program == "timeout";
  while (!argv.empty()) {
    const std::string& word = argv.front();
    const bool is_duration = takes_duration && !word.empty() && word[0] >= '0' && word[0] <= '9';
    if (is_duration) takes_duration = false;
    const bool belongs = word.starts_with('-') || is_assignment(word) || is_duration;
    if (!belongs) break;
    const bool takes_value = is_one_of(word, {"-u", "-n", "-k", "-s", "-p", "--package"});
    argv = argv.subspan(takes_value && argv.size() > 1 ? 2 : 1);
  }
  return true;
}

void add(std::vector<Words>& all, std::span<const std::string> argv, int depth) {
  while (!argv.empty() && strip_starter(argv)) {
  }
  if (argv.empty()) return;
  constexpr int kMostShells = 3;  // In each other.
  const bool is_shell =
      is_one_of(name_of_program(argv.front()), {"sh", "bash", "zsh", "dash", "ksh"});
  if (is_shell && depth < kMostShells) {
    for (std::size_t i = 1; i + 1 < argv.size() && argv[i].starts_with('-'); ++i) {
      const bool is_command = !argv[i].starts_with("--") && argv[i].find('c') != std::string::npos;
      if (!is_command) continue;
      for (const Words& command : commands_in(argv[i + 1])) add(all, command, depth + 1);
      return;
    }
  }
  Words words(argv.begin(), argv.end());
  words.front() = name_of_program(words.front());
  all.push_back(std::move(words));
}

}  // namespace

std::vector<Words> commands_in(std::string_view line) { return Line(line).read(); }

std::vector<Words> commands_of(std::span<const std::string> argv) {
  std::vector<Words> all;
  add(all, argv, 0);
  return all;
}

}  // namespace spoor::audit
