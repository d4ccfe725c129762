#include "cli/repl/words.h"

#include "base/text.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

// Splits one text.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Words split() {
    while (skip_gap()) word();
    result_.end = at_;
    return std::move(result_);
  }

 private:
  bool is_done() const { return at_ == text_.size(); }

  // Moves to the next word; returns false at the end of the command.
  bool skip_gap() {
    while (!is_done()) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_).starts_with("\\\n")) {
        at_ += 2;
      } else if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return text_[at_] != '\n';
      }
    }
    return false;
  }

  void word() {
    Word word{{}, at_, at_};
    while (!is_done() && !is_blank(text_[at_]) && text_[at_] != '\n') {
      const char c = text_[at_++];
      if (c == '\'') {
        single_quoted(word.text);
      } else if (c == '"') {
        double_quoted(word.text);
      } else if (c == '\\') {
        backslash(word.text);
      } else {
        word.text += c;
      }
    }
    word.end = at_;
    result_.in_word = is_done();
    result_.words.push_back(std::move(word));
  }

  void single_quoted(std::string& out) {
    const std::size_t close = text_.find('\'', at_);
    result_.is_open = close == std::string_view::npos;
    const std::size_t end = std::min(close, text_.size());
    out += text_.substr(at_, end - at_);
    at_ = result_.is_open ? end : end + 1;
  }

  void double_quoted(std::string& out) {
    while (!is_done() && text_[at_] != '"') {
      const bool is_escape = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                             (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      if (is_escape) ++at_;
      out += text_[at_++];
    }
    result_.is_open = is_done();
    if (!is_done()) ++at_;
  }

  void backslash(std::string& out) {
    result_.is_open = is_done();
    if (is_done()) return;
    if (text_[at_] != '\n') out += text_[at_];
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Words result_;
};

}  // namespace

Words split_words(std::string_view text) { return Splitter(text).split(); }

std::string in_quotes(std::string_view text) {
  return "'" + replaced(std::string(text), "'", "'\\''") + "'";
}

std::string quoted_word(std::string_view text) {
  const bool is_plain = !text.empty() &&
                        text.find_first_of(" \t\r\n'\"\\") == std::string_view::npos &&
                        text.front() != '#';
  return is_plain ? std::string(text) : in_quotes(text);
}

}  // namespace spoor::cli
