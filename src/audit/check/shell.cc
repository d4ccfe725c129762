#include "audit/check/shell.h"

#include <algorithm>
#include <array>
namespace spoor::audit::check {
namespace {

constexpr std::size_t kMostDepth = 24;
constexpr std::size_t kMostCommands = 10'000;
constexpr std::size_t kMostBytes = 1U << 20U;
constexpr std::size_t kNone = SimpleCommand::kNone;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Words after which another command begins.
constexpr std::array<std::string_view, 10> kLeading = {"if",    "then", "else", "elif", "while",
                                                       "until", "do",   "!",    "{",    "time"};
constexpr std::array<std::string_view, 4> kTrailing = {"fi", "done", "esac", "}"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  std::string_view name(word.data(), equals);
  if (name.back() == '+') name.remove_suffix(1);
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  return std::all_of(name.begin(), name.end(), is_name_byte);
}

// A here-document that was announced on this line.
struct Announced {
  std::size_t command;
  std::string end;
  bool strips_tabs;
};

// Reads one text; a substitution in it is read by another reader, into the same script.
class Reader {
 public:
  Reader(std::string_view text, Script& script, std::size_t depth, std::size_t used_by,
         std::size_t shell)
      : text_(text), script_(script), depth_(depth), used_by_(used_by), shells_{shell} {}

  void read() {
    if (depth_ > kMostDepth) {
      script_.is_whole = false;
      return;
    }
    while (at_ < text_.size() && script_.commands.size() < kMostCommands) step();
    finish_word();
    end_command(false);
    if (at_ < text_.size()) script_.is_whole = false;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  SimpleCommand& command() {
    if (current_ == kNone) {
      current_ = script_.commands.size();
      SimpleCommand made;
      made.piped_from = piped_from_;
      made.used_by = used_by_;
      made.shell = shells_.back();
      piped_from_ = kNone;
      script_.commands.push_back(std::move(made));
    }
    return script_.commands[current_];
  }

  Word& word() {
    in_word_ = true;
    return word_;
  }

  void finish_word() {
    if (!in_word_) return;
    in_word_ = false;
    Word made = std::move(word_);
    word_ = {};
    const bool was_quoted = quoted_;
    const bool may_assign = has_plain_equals_;  // Its name has no quotes.
    quoted_ = false;
    has_plain_equals_ = false;
    if (!redirect_.empty()) {
      finish_redirect(std::move(made));
      return;
    }
    const bool is_first = current_ == kNone || command().words.empty();
    if (is_first && !was_quoted && made.is_certain && is_in(kLeading, made.text)) return;
    if (is_first && !was_quoted && made.is_certain && is_in(kTrailing, made.text)) return;
    if (is_first && may_assign && is_assignment(made.text)) {
      command();  // `A=$(curl …)` runs something; `A=b` alone is a command without words.
      return;
    }
    if (is_first && made.text == "[[") in_test_ = true;
    if (made.text == "]]") in_test_ = false;
    command().words.push_back(std::move(made));
  }

  void finish_redirect(Word to) {
    const std::string op = std::move(redirect_);
    redirect_.clear();
    if (op == "<<<") {
      command().input += to.text + '\n';
    } else if (op == "<<" || op == "<<-") {
      command();
      announced_.push_back({current_, to.text, op == "<<-"});
    } else if (op == ">&" || op == "<&") {
      const bool is_number =
          !to.text.empty() && to.text.find_first_not_of("0123456789-") == std::string::npos;
      if (!is_number && op == ">&") command().redirects.push_back({"&>", std::move(to)});
    } else {
      command().redirects.push_back({op, std::move(to)});
    }
  }

  void end_command(bool pipes) {
    piped_from_ = pipes ? current_ : kNone;
    current_ = kNone;
    in_test_ = false;
  }

  void step() {
    const char c = peek();
    if (c == '\\') return escape();
    if (c == '\'') return single_quotes();
    if (c == '"') return double_quotes();
    if (c == '$') return dollar(false);
    if (c == '`') return backticks();
    if (is_blank(c)) {
      finish_word();
      ++at_;
      return;
    }
    if (c == '\n') return new_line();
    if (c == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (!in_test_ && is_operator(c)) return operator_();
    if (c == '=' && !quoted_) has_plain_equals_ = true;
    word().text += c;
    ++at_;
  }

  static bool is_operator(char c) {
    return c == '|' || c == '&' || c == ';' || c == '(' || c == ')' || c == '<' || c == '>';
  }

  void escape() {
    if (peek(1) == '\n') {
      at_ += 2;
      return;
    }
    if (at_ + 1 < text_.size()) word().text += text_[at_ + 1];
    quoted_ = true;
    at_ += 2;
  }

  void single_quotes() {
    const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
    word().text.append(text_, at_ + 1, end - at_ - 1);
    quoted_ = true;
    at_ = end + 1;
  }

  void double_quotes() {
    ++at_;
    word();
    quoted_ = true;
    while (at_ < text_.size() && peek() != '"') {
      const char c = peek();
      if (c == '\\' && at_ + 1 < text_.size()) {
        const char next = peek(1);
        if (next == '"' || next == '\\' || next == '$' || next == '`') {
          word_.text += next;
        } else if (next != '\n') {
          word_.text.append({c, next});
        }
        at_ += 2;
      } else if (c == '$') {
        dollar(true);
      } else if (c == '`') {
        backticks();
      } else {
        word_.text += c;
        ++at_;
      }
    }
    ++at_;
  }

  // `$'a\nb'`: the escapes that C has too.
  void ansi_quotes() {
    at_ += 2;
    word();
    quoted_ = true;
    while (at_ < text_.size() && peek() != '\'') {
      char c = peek();
      if (c == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        c = peek();
        if (c == 'x' || (c >= '0' && c <= '7')) {
          word_.text += numbered();
          continue;
        }
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
        if (c == 'r') c = '\r';
        if (c == 'e' || c == 'E') c = '\x1b';
      }
      word_.text += c;
      ++at_;
    }
    ++at_;
  }

  // The byte of `\x2f` or `\057`.
  char numbered() {
    const bool is_hex = peek() == 'x';
    if (is_hex) ++at_;
    unsigned value = 0;
    for (int i = 0; i < (is_hex ? 2 : 3); ++i) {
      const char c = peek();
      unsigned digit = 16;
      if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
      if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
      if (digit >= (is_hex ? 16U : 8U)) break;
      value = value * (is_hex ? 16U : 8U) + digit;
      ++at_;
    }
    return static_cast<char>(value & 0xffU);
  }

  void dollar(bool is_quoted) {
    const char next = peek(1);
    if (next == '\'' && !is_quoted) return ansi_quotes();
    if (next == '"' && !is_quoted) {
      ++at_;  // `$"…"`: translated, else as it is.
      return;
    }
    Word& made = word();
    if (next == '(') {
      const std::size_t begin = at_;
      at_ += 2;
      const bool is_sum = peek() == '(';
      const std::string_view inside = take_to_closing(')');
      made.text.append(text_, begin, at_ - begin);
      made.is_certain = false;
      if (!is_sum) read_inside(inside);
      return;
    }
    if (next == '{') {
      const std::size_t begin = at_;
      at_ += 2;
      const std::string_view inside = take_to_closing('}');
      made.text.append(text_, begin, at_ - begin);
      made.is_certain = false;
      // `${x:-$(curl …)}` runs something as well.
      if (inside.find('$') != std::string_view::npos ||
          inside.find('`') != std::string_view::npos) {
        read_expansions(inside);
      }
      return;
    }
    made.text += '$';
    ++at_;
    if (is_name_byte(next)) {
      made.is_certain = false;
      while (is_name_byte(peek())) made.text += text_[at_++];
    } else if (next == '@' || next == '*' || next == '?' || next == '!' || next == '#' ||
               next == '-' || next == '$') {
      made.is_certain = false;
      made.text += next;
      ++at_;
    }
  }

  // What stands before the bracket that closes the one that was just passed; goes behind it.
  std::string_view take_to_closing(char closing) {
    const char opening = closing == ')' ? '(' : '{';
    const std::size_t begin = at_;
    std::size_t open = 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\') {
        at_ += 2;
        continue;
      }
      if (c == '\'') {
        at_ = std::min(text_.find('\'', at_ + 1), text_.size()) + 1;
        continue;
      }
      if (c == '"') {
        skip_double_quotes();
        continue;
      }
      if (c == opening) ++open;
      if (c == closing && --open == 0) break;
      ++at_;
    }
    at_ = std::min(at_, text_.size());
    const std::string_view inside = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return inside;
  }

  void skip_double_quotes() {
    ++at_;
    std::size_t open = 0;  // Of `$(`, in which quotes are others.
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\') {
        at_ += 2;
        continue;
      }
      if (c == '$' && peek(1) == '(') ++open;
      if (c == ')' && open > 0) --open;
      ++at_;
      if (c == '"' && open == 0) return;
    }
  }

  void backticks() {
    const std::size_t begin = at_++;
    std::string inside;
    while (at_ < text_.size() && peek() != '`') {
      if (peek() == '\\' && (peek(1) == '`' || peek(1) == '\\' || peek(1) == '$')) ++at_;
      if (at_ < text_.size()) inside += text_[at_++];
    }
    at_ = std::min(at_ + 1, text_.size());
    Word& made = word();
    made.text.append(text_, begin, at_ - begin);
    made.is_certain = false;
    read_inside(inside);
  }

  void read_inside(std::string_view inside) {
    command();
    Reader(inside, script_, depth_ + 1, current_, new_shell()).read();
  }

  std::size_t new_shell() {
    script_.shells.push_back(shells_.back());
    return script_.shells.size() - 1;
  }

  // A text in which only substitutions matter: it is read as a word in double quotes.
  void read_expansions(std::string_view inside) {
    command();
    Script aside;
    Reader reader(inside, aside, depth_ + 1, kNone, 0);
    while (reader.at_ < inside.size()) {
      if (reader.peek() == '$' && reader.peek(1) == '(') {
        reader.at_ += 2;
        read_inside(reader.take_to_closing(')'));
      } else if (reader.peek() == '`') {
        const std::size_t end = std::min(inside.find('`', reader.at_ + 1), inside.size());
        read_inside(inside.substr(reader.at_ + 1, end - reader.at_ - 1));
        reader.at_ = end + 1;
      } else {
        ++reader.at_;
      }
    }
  }

  void new_line() {
    finish_word();
    end_command(false);
    ++at_;
    for (const Announced& each : announced_) take_document(each);
    announced_.clear();
  }

  void take_document(const Announced& announced) {
    std::string body;
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (announced.strips_tabs)
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == announced.end) break;
      body.append(line).append("\n");
    }
    script_.commands[announced.command].input += body;
  }

  void operator_() {
    const char c = peek();
    if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) return redirection();
    // `f() {`: its name is no command.
    finish_word();
    if (c == '(') {
      if (current_ != kNone && peek(1) == ')') script_.commands[current_].words.clear();
      end_command(false);
      shells_.push_back(new_shell());
      ++at_;
      return;
    }
    if (c == ')') {
      if (shells_.size() > 1) shells_.pop_back();
      end_command(false);
      ++at_;
      return;
    }
    if (c == '|' && peek(1) != '|') {
      end_command(true);
      at_ += peek(1) == '&' ? 2 : 1;
      return;
    }
    end_command(false);
    while (peek() == c) ++at_;
  }

  void redirection() {
    if ((looking_at("<(") || looking_at(">(")) && redirect_.empty()) {
      const std::size_t begin = at_;
      at_ += 2;
      const std::string_view inside = take_to_closing(')');
      Word& made = word();
      made.text.append(text_, begin, at_ - begin);
      made.is_certain = false;
      read_inside(inside);
      return;
    }
    // `2>file`: the number belongs to the operator.
    const bool is_number =
        in_word_ && !quoted_ && word_.text.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) {
      in_word_ = false;
      word_ = {};
    }
    finish_word();
    for (const std::string_view op :
         {"&>>", "&>", ">>", ">|", ">&", ">", "<<<", "<<-", "<<", "<>", "<&", "<"}) {
      if (!looking_at(op)) continue;
      redirect_ = op;
      at_ += op.size();
      return;
    }
    ++at_;
  }

  std::string_view text_;
  Script& script_;
  const std::size_t depth_;
  const std::size_t used_by_;
  std::size_t at_ = 0;
  std::size_t current_ = kNone;
  std::size_t piped_from_ = kNone;
  std::vector<std::size_t> shells_;  // Around what is read; the last is the inmost.
  Word word_;
  bool in_word_ = false;
  bool quoted_ = false;
  bool has_plain_equals_ = false;
  bool in_test_ = false;  // Within `[[ … ]]`, where `<` compares.
  std::string redirect_;
  std::vector<Announced> announced_;
};

}  // namespace

Script read_script(std::string_view text) {
  Script script;
  if (text.size() > kMostBytes) {
    text = text.substr(0, kMostBytes);
    script.is_whole = false;
  }
  Reader(text, script, 0, kNone, 0).read();
  return script;
}

}  // namespace spoor::audit::check
