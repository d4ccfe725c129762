#include "guard/check/shell.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/words.h"

namespace spoor::guard::check {
namespace {

constexpr std::size_t kMostDepth = 24;
constexpr std::size_t kMostCommands = 10'000;
constexpr std::size_t kMostBytes = 1U << 20U;
constexpr std::size_t kMostUnread = 8;
constexpr std::size_t kNone = SimpleCommand::kNone;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Words before another command, and those that end such a construct.
constexpr std::array<std::string_view, 12> kBetween = {
    "if", "then", "else", "elif", "while", "do", "until", "!", "{", "}", "fi", "done"};
// Words of constructs that are not read.
constexpr std::array<std::string_view, 4> kUnread = {"case", "esac", "function", "coproc"};

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  std::string_view name = word.substr(0, equals);
  if (name.back() == '+') name.remove_suffix(1);
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  return std::all_of(name.begin(), name.end(), is_name_byte);
}

// A here-document that begins after this line.
struct Announced {
  std::size_t command;
  std::string end;
  bool strips_tabs;
  bool is_plain;  // Its end has quotes: no expansion in it.
};

// Reads one text. Another reader reads each substitution in it, into the same script.
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

  void unread(std::string_view what) {
    const bool is_known =
        std::find(script_.unread.begin(), script_.unread.end(), what) != script_.unread.end();
    if (!is_known && script_.unread.size() < kMostUnread) script_.unread.emplace_back(what);
  }

  SimpleCommand& command() {
    if (current_ == kNone) {
      current_ = script_.commands.size();
      SimpleCommand made;
      made.piped_from = std::exchange(piped_from_, kNone);
      made.is_input_certain = !std::exchange(is_piped_, false);
      made.used_by = used_by_;
      made.shell = shells_.back();
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
    Word made = std::exchange(word_, {});
    std::vector<Word> expanded = take_braces(made);
    if (made.text == "[") made.is_pattern = false;  // The program `[`.
    const bool was_quoted = std::exchange(is_quoted_, false);
    has_brace_ = false;
    const bool may_assign = std::exchange(has_plain_equals_, false);  // Its name has no quotes.
    if (!redirect_.empty()) return finish_redirect(made, was_quoted);
    const bool is_first = current_ == kNone || command().words.empty();
    if (is_first && !was_quoted && made.is_certain) {
      if (made.text == "[[" && at_ > 0 && is_blank(text_[at_ - 1])) return read_test();
      if (is_in(kUnread, made.text)) return unread("'" + made.text + "'");
      if (is_in(kBetween, made.text)) return;
    }
    if (is_first && may_assign && is_assignment(made.text)) {
      command().assigned.push_back(std::move(made));
      return;
    }
    std::vector<Word>& words = command().words;
    if (expanded.empty()) expanded.push_back(std::move(made));
    words.insert(words.end(), expanded.begin(), expanded.end());
  }

  // Returns the words of a brace expansion; empty if the word is not expanded. In a position for a
  // single word, the result cannot be known.
  static std::vector<Word> take_braces(Word& word) {
    if (word.text.find(kOpenBrace) == std::string::npos) {
      word.text = without_marks(word.text);
      return {};
    }
    const auto texts = expand_braces(word.text);
    word.text = without_marks(word.text);
    const bool is_one = texts && texts->size() == 1 && texts->front() == word.text;
    if (is_one) return {};
    std::vector<Word> words;
    for (const std::string& text : texts.value_or(std::vector<std::string>())) {
      words.push_back({text, word.is_certain, word.is_pattern});
    }
    word.is_pattern = true;
    word.is_certain = false;
    return words;
  }

  // Skips `[[ a < b && -f c ]]`: its operators are not operators of the shell.
  void read_test() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !looking_at(" ]]")) skip_one();
    at_ = std::min(at_, text_.size());
    const std::string_view inside = text_.substr(begin, at_ - begin);
    command().words.push_back({"[["});
    command().words.push_back({std::string(inside), inside.find_first_of("$`") == inside.npos});
    read_expansions(inside);
    at_ = std::min(at_ + 3, text_.size());
  }

  // Skips a byte or a quoted text.
  void skip_one() {
    if (peek() == '\\') {
      at_ += 2;
    } else if (peek() == '\'') {
      at_ = std::min(text_.find('\'', at_ + 1), text_.size()) + 1;
    } else if (peek() == '"') {
      skip_double_quotes();
    } else {
      ++at_;
    }
  }

  void finish_redirect(Word to, bool was_quoted) {
    const std::string op = std::exchange(redirect_, {});
    SimpleCommand& owner = command();
    if (op == "<<<") {
      owner.input += to.text + '\n';
      owner.is_input_certain = owner.is_input_certain && to.is_certain;
    } else if (op == "<<" || op == "<<-") {
      announced_.push_back({current_, to.text, op == "<<-", was_quoted});
    } else if (op == ">&" || op == "<&") {
      const bool is_number =
          !to.text.empty() && to.text.find_first_not_of("0123456789-") == std::string::npos;
      if (!is_number && op == ">&") owner.redirects.push_back({"&>", std::move(to)});
    } else {
      owner.redirects.push_back({op, std::move(to)});
    }
  }

  void end_command(bool pipes) {
    piped_from_ = pipes ? current_ : kNone;
    is_piped_ = pipes;
    current_ = kNone;
  }

  void step() {
    const char c = peek();
    if (c == '\\') return escape();
    if (c == '\'') return single_quotes();
    if (c == '"') return double_quotes();
    if (c == '$') return dollar(false);
    if (c == '`') return backticks();
    if (is_blank(c)) {
      ++at_;
      return finish_word();
    }
    if (c == '\n') return new_line();
    if (c == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (is_operator(c)) return operator_();
    if (c == '=' && !is_quoted_) has_plain_equals_ = true;
    if (c == '*' || c == '?' || c == '[') word().is_pattern = true;
    if (c == '{') has_brace_ = true;
    // `{1..9}` makes several words.
    if (has_brace_ && looking_at("..")) {
      word().is_pattern = true;
      word_.is_certain = false;
    }
    word().text += marked(c);
    ++at_;
  }

  // Marks a character that may be part of a brace expansion, see expand_braces(). read_script()
  // reports texts that contain marks themselves as unread.
  static char marked(char c) {
    if (c == '{') return kOpenBrace;
    if (c == ',') return kBraceComma;
    return c == '}' ? kCloseBrace : c;
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
    is_quoted_ = true;
    at_ += 2;
  }

  void single_quotes() {
    const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
    word().text.append(text_, at_ + 1, end - at_ - 1);
    is_quoted_ = true;
    at_ = end + 1;
  }

  void double_quotes() {
    ++at_;
    word();
    is_quoted_ = true;
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

  // Reads `$'a\nb'`: without a backslash it is a word in single quotes.
  void ansi_quotes() {
    ++at_;
    const std::size_t begin = at_;
    while (++at_ < text_.size() && peek() != '\'') {
      if (peek() != '\\') continue;
      word().is_certain = false;
      ++at_;
    }
    word().text.append(text_, begin + 1, std::min(at_, text_.size()) - begin - 1);
    is_quoted_ = true;
    ++at_;
  }

  void dollar(bool is_in_quotes) {
    const char next = peek(1);
    if (next == '\'' && !is_in_quotes) return ansi_quotes();
    if (next == '"' && !is_in_quotes) {
      ++at_;  // `$"…"`: translated, else unchanged.
      return;
    }
    if (next == '(' || next == '{') return expansion(next == '(' ? ')' : '}');
    Word& made = word();
    made.text += '$';
    ++at_;
    if (is_name_byte(next)) {
      made.is_certain = false;
      while (is_name_byte(peek())) made.text += text_[at_++];
    } else if (std::string_view("@*?!#-$").find(next) != std::string_view::npos && next != '\0') {
      made.is_certain = false;
      made.text += next;
      ++at_;
    }
  }

  // Reads `$(…)`, `$((…))` and `${…}`.
  void expansion(char closing) {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view inside = take_to_closing(closing);
    word().text.append(text_, begin, at_ - begin);
    word().is_certain = false;
    const bool is_script = closing == ')' && !inside.starts_with('(');
    if (is_script) {
      read_inside(inside);
    } else {
      // `$((1 + 2))` is a sum, `$((a); b)` runs both commands.
      if (closing == ')' && !inside.ends_with(')')) unread("a sum");
      read_expansions(inside);
    }
  }

  // Returns the text up to the bracket that closes the last one, and moves past that bracket.
  std::string_view take_to_closing(char closing) {
    const char opening = closing == ')' ? '(' : '{';
    const std::size_t begin = at_;
    std::size_t open = 1;
    const bool is_script = closing == ')' && peek() != '(';
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == opening) ++open;
      if (c == closing && --open == 0) break;
      const bool has_document = is_script && looking_at("<<") && !looking_at("<<<");
      has_document ? skip_document() : skip_one();
    }
    at_ = std::min(at_, text_.size());
    const std::string_view inside = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return inside;
  }

  // Skips a here-document, in which quotes and brackets have no meaning.
  void skip_document() {
    at_ += peek(2) == '-' ? 3 : 2;
    while (is_blank(peek())) ++at_;
    std::string end;
    while (at_ < text_.size() && !is_blank(peek()) && peek() != '\n' && !is_operator(peek())) {
      const char c = text_[at_++];
      if (c != '\'' && c != '"' && c != '\\') end += c;
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
    while (at_ < text_.size()) {
      const std::size_t next = std::min(text_.find('\n', at_ + 1), text_.size());
      std::string_view line = text_.substr(at_ + 1, next - at_ - 1);
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      at_ = next;
      if (line == end) return;
    }
  }

  void skip_double_quotes() {
    ++at_;
    std::size_t open = 0;  // Of `$(`, which has its own quotes.
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
    word().text.append(text_, begin, at_ - begin);
    word().is_certain = false;
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

  // Reads the substitutions in a text, as in a word in double quotes.
  void read_expansions(std::string_view inside) {
    if (inside.find('$') == inside.npos && inside.find('`') == inside.npos) return;
    command();
    Script aside;
    Reader reader(inside, aside, depth_ + 1, kNone, 0);
    while (reader.at_ < inside.size()) {
      if (reader.peek() == '\\') {
        reader.at_ += 2;
      } else if (reader.looking_at("$(")) {
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
    ++at_;
    finish_word();
    // `a |` continues in the next line.
    if (!is_piped_ || current_ != kNone) end_command(false);
    const std::vector<Announced> announced = std::exchange(announced_, {});
    for (const Announced& each : announced) take_document(each);
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
    if (announced.is_plain || body.find_first_of("$`") == std::string::npos) return;
    script_.commands[announced.command].is_input_certain = false;
    const std::size_t current = std::exchange(current_, announced.command);
    read_expansions(body);
    current_ = current;
  }

  void operator_() {
    const char c = peek();
    if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) return redirection();
    if (c == '(') return open_shell();
    finish_word();
    if (c == ')') {
      if (shells_.size() > 1) {
        shells_.pop_back();
      } else {
        unread("a bracket");
      }
      end_command(false);
      ++at_;
      return;
    }
    const bool pipes = c == '|' && peek(1) != '|';
    end_command(pipes);
    // The output of a whole group is piped.
    ++at_;
    if (pipes && peek() == '&') ++at_;
    while (!pipes && peek() == c) ++at_;
  }

  void open_shell() {
    const bool is_array = in_word_ && word_.text.ends_with('=') && is_assignment(word_.text);
    if (is_array || looking_at("((")) {
      unread(is_array ? "an array" : "a sum");
      ++at_;
      word().text += '(' + std::string(take_to_closing(')')) + ')';
      read_expansions(word_.text);
      return;
    }
    finish_word();
    if (current_ != kNone) {
      // `f() {`, or a bracket that is not at the start of a command.
      unread("a function");
      script_.commands[current_].words.clear();
    }
    const bool is_piped = is_piped_;
    end_command(false);
    is_piped_ = is_piped;
    shells_.push_back(new_shell());
    ++at_;
  }

  void redirection() {
    if ((looking_at("<(") || looking_at(">(")) && redirect_.empty()) {
      const std::size_t begin = at_;
      at_ += 2;
      const std::string_view inside = take_to_closing(')');
      word().text.append(text_, begin, at_ - begin);
      word().is_certain = false;
      read_inside(inside);
      return;
    }
    // `2>file`: the number belongs to the operator, and so does the name in `{fd}>file`.
    const bool is_number = in_word_ && !is_quoted_ && !word_.text.empty() &&
                           word_.text.find_first_not_of("0123456789") == std::string::npos;
    const bool is_name = in_word_ && !is_quoted_ && word_.text.starts_with(kOpenBrace) &&
                         word_.text.find(kCloseBrace) == word_.text.size() - 1;
    if (is_number || is_name) {
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
  bool is_piped_ = false;            // The next command reads a pipe.
  std::vector<std::size_t> shells_;  // Around the current command; the last is the innermost.
  Word word_;
  bool in_word_ = false;
  bool is_quoted_ = false;
  bool has_plain_equals_ = false;
  bool has_brace_ = false;
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
  constexpr std::array kMarks = {kOpenBrace, kBraceComma, kCloseBrace};
  const bool has_marks = text.find_first_of({kMarks.data(), kMarks.size()}) != text.npos;
  if (has_marks) script.unread.emplace_back("a control character");
  Reader(text, script, 0, kNone, 0).read();
  return script;
}

}  // namespace spoor::guard::check
