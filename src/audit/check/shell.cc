#include "audit/check/shell.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "audit/check/braces.h"
#include "store/utf8.h"
#include "store/words.h"

namespace spoor::audit::check {
namespace {

using store::is_in;

constexpr std::size_t kMostDepth = 24;
constexpr std::size_t kMostCommands = 10'000;
constexpr std::size_t kMostBytes = 1U << 20U;
constexpr std::size_t kNone = SimpleCommand::kNone;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr bool is_name_byte(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

// Words after which another command begins.
constexpr std::array<std::string_view, 11> kLeading = {
    "if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "coproc"};
constexpr std::array<std::string_view, 4> kTrailing = {"fi", "done", "esac", "}"};
// Words that begin what one of kTrailing ends.
constexpr std::array<std::string_view, 7> kOpening = {"if",  "while",  "until", "{",
                                                      "for", "select", "case"};

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
  bool is_plain;  // Its end has quotes: nothing in it is expanded.
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
      made.piped_since = piped_since_;
      made.used_by = used_by_;
      made.shell = shells_.back();
      piped_from_ = kNone;
      piped_since_ = kNone;
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
    const std::vector<std::size_t> braces = std::move(braces_);
    braces_ = {};
    quoted_ = false;
    has_plain_equals_ = false;
    if (!redirect_.empty()) {
      finish_redirect(std::move(made), was_quoted);
      return;
    }
    const bool is_first = current_ == kNone || command().words.empty();
    const bool is_bare = !was_quoted && made.is_certain;
    const Before before = std::exchange(before_, Before::nothing);
    if (is_first && is_bare) {
      if (before == Before::time && made.text.starts_with('-')) {
        if (made.text == "-p" || made.text == "--") return void(before_ = Before::time);
        command().words.push_back(
            {"time"});  // The program of that name: bash's own has `-p` alone.
        command().words.push_back(std::move(made));
        return;
      }
      if (before == Before::function) return;  // A name.
      if (current_ == kNone && is_in(kOpening, made.text)) groups_.push_back(commands_so_far());
      if (made.text == "function") return void(before_ = Before::function);
      if (made.text == "time") before_ = Before::time;
      if (made.text == "coproc") before_ = Before::coproc;
      if (is_in(kLeading, made.text)) return;
      if (is_in(kTrailing, made.text)) return close_group();
    }
    if (is_first && may_assign && is_assignment(made.text)) {
      // `A=$(curl …)` runs something; `A=b` alone is a command without words.
      command().assigned.push_back(std::move(made));
      return;
    }
    if (current_ == kNone && is_bare && made.text == "[[") in_test_ = true;
    if (in_test_ && is_bare && made.text == "]]") in_test_ = false;
    // `coproc NAME { … }`
    if (coprocess_ == current_ && current_ != kNone && command().words.size() == 1 && is_bare &&
        made.text == "{") {
      command().words.clear();
      groups_.push_back(current_);
      return;
    }
    add_expanded(std::move(made), braces);
    if (before == Before::coproc) coprocess_ = current_;
  }

  // A word, or those that its braces stand for.
  void add_expanded(Word made, const std::vector<std::size_t>& braces) {
    if (braces.empty() || in_test_) {
      command().words.push_back(std::move(made));
      return;
    }
    std::vector<std::string> texts = expand_braces(made.text, braces);
    if (texts.empty()) {
      script_.is_whole = false;
      texts.push_back(made.text);
    }
    for (std::string& text : texts) {
      command().words.push_back({std::move(text), made.is_certain, made.is_pattern});
    }
  }

  std::size_t commands_so_far() const { return script_.commands.size(); }

  // What stands behind a group may read what any of its commands prints.
  void close_group() {
    if (groups_.empty()) return;
    const std::size_t since = groups_.back();
    groups_.pop_back();
    if (since >= commands_so_far()) return;
    ended_since_ = since;
    ended_with_ = commands_so_far() - 1;
  }

  void finish_redirect(Word to, bool was_quoted) {
    const std::string op = std::move(redirect_);
    redirect_.clear();
    if (op == "<<<") {
      command().input += to.text + '\n';
      command().is_input_certain = command().is_input_certain && to.is_certain;
    } else if (op == "<<" || op == "<<-") {
      command();
      announced_.push_back({current_, to.text, op == "<<-", was_quoted});
    } else if (op == ">&" || op == "<&") {
      const bool is_number =
          !to.text.empty() && to.text.find_first_not_of("0123456789-") == std::string::npos;
      if (!is_number && op == ">&") command().redirects.push_back({"&>", std::move(to)});
    } else {
      command().redirects.push_back({op, std::move(to)});
    }
  }

  void end_command(bool pipes) {
    // Behind a group only redirections stand: `{ a; } > b | c`.
    const bool is_of_group = ended_with_ != kNone && (current_ == kNone || command().words.empty());
    piped_from_ = !pipes ? kNone : is_of_group ? ended_with_ : current_;
    piped_since_ = pipes && is_of_group ? ended_since_ : kNone;
    ended_with_ = kNone;
    current_ = kNone;
    coprocess_ = kNone;
    in_test_ = false;
    before_ = Before::nothing;
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
    if (is_operator(c)) {
      // `]]` ends a test wherever an operator follows, and no test has a `;`.
      const bool ends_test = in_test_ && ((word_.text == "]]" && !quoted_) || c == ';');
      if (ends_test) {
        finish_word();
        in_test_ = false;
      }
      if (!in_test_) return operator_();
    }
    if (c == '=' && !quoted_) has_plain_equals_ = true;
    if (c == '*' || c == '?' || c == '[') word().is_pattern = true;
    if (c == '{' || c == '}' || c == ',') braces_.push_back(word_.text.size());
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
          word_.text += static_cast<char>(numbered(c == 'x' ? 2 : 3) & 0xffU);
          continue;
        }
        if (c == 'u' || c == 'U') {
          store::append_utf8(word_.text, static_cast<char32_t>(numbered(c == 'u' ? 4 : 8)));
          continue;
        }
        if (c == 'c' && at_ + 1 < text_.size()) {
          ++at_;
          c = static_cast<char>(static_cast<unsigned char>(peek()) & 0x1fU);
        }
        if (c == 'a') c = '\a';
        if (c == 'b') c = '\b';
        if (c == 'f') c = '\f';
        if (c == 'v') c = '\v';
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

  // The number of `x2f`, `u002f` or `057`, of at most so many digits.
  unsigned numbered(int digits) {
    const bool is_hex = is_letter(peek());
    if (is_hex) ++at_;
    unsigned value = 0;
    for (int i = 0; i < digits; ++i) {
      const char c = peek();
      unsigned digit = 16;
      if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
      if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
      if (digit >= (is_hex ? 16U : 8U)) break;
      value = value * (is_hex ? 16U : 8U) + digit;
      ++at_;
    }
    return std::min(value, 0x10ffffU);
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
      const std::string_view inside = take_to_closing(')');
      made.text.append(text_, begin, at_ - begin);
      made.is_certain = false;
      // `$((1 + 2))` is a sum, `$((a); b)` runs both.
      if (is_in_one_pair(inside)) {
        read_expansions(inside);
      } else {
        read_inside(inside);
      }
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

  // Is all of it in one pair of round brackets?
  static bool is_in_one_pair(std::string_view text) {
    if (!text.starts_with('(') || !text.ends_with(')')) return false;
    std::size_t open = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      if (text[i] == '(') ++open;
      if (text[i] == ')' && --open == 0) return false;
    }
    return true;
  }

  // `(( x = 1 << 2 ))`: a sum, in which no operator is one of the shell. False: it is none.
  bool take_sum() {
    const bool is_place =
        current_ == kNone || (command().words.size() == 1 && command().words[0].text == "for");
    if (in_word_ || !is_place || !looking_at("((")) return false;
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view inside = take_to_closing(')');
    if (peek() != ')') {
      at_ = begin;
      return false;
    }
    ++at_;
    read_expansions(inside);
    return true;
  }

  // `A=(b $(c))`: words that are kept, and none that is run.
  bool take_array() {
    const bool is_first = current_ == kNone || command().words.empty();
    if (!in_word_ || !is_first || peek() != '(' || !word_.text.ends_with('=') ||
        !is_assignment(word_.text)) {
      return false;
    }
    ++at_;
    const std::string_view inside = take_to_closing(')');
    read_expansions(inside);
    return true;
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
      if (reader.peek() == '\\') {
        reader.at_ += 2;
      } else if (reader.peek() == '$' && reader.peek(1) == '(') {
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
    // `a |` goes on in the next line.
    if (piped_from_ == kNone || current_ != kNone) end_command(false);
    ++at_;
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
    if (announced.is_plain) return;
    SimpleCommand& reads = script_.commands[announced.command];
    if (body.find_first_of("$`") != std::string::npos) reads.is_input_certain = false;
    const std::size_t current = std::exchange(current_, announced.command);
    read_expansions(body);
    current_ = current;
  }

  void operator_() {
    const char c = peek();
    if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) return redirection();
    if (c == '(' && (take_sum() || take_array())) return;
    // `f() {`: its name is no command.
    finish_word();
    if (c == '(') {
      const bool is_function = current_ != kNone && peek(1) == ')';
      if (is_function) script_.commands[current_].words.clear();
      const bool is_piped = current_ == kNone && piped_from_ != kNone;
      const auto piped = std::pair(piped_from_, piped_since_);
      end_command(false);
      if (is_piped) std::tie(piped_from_, piped_since_) = piped;
      groups_.push_back(commands_so_far());
      shells_.push_back(new_shell());
      ++at_;
      return;
    }
    if (c == ')') {
      const bool is_open = shells_.size() > 1;  // Else it ends a pattern of `case`.
      if (is_open) shells_.pop_back();
      end_command(false);
      if (is_open) close_group();
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
    const bool is_number = in_word_ && !quoted_ && !word_.text.empty() &&
                           word_.text.find_first_not_of("0123456789") == std::string::npos;
    // `{fd}>file`: a name for the number.
    const bool is_name = in_word_ && !quoted_ && word_.text.size() > 2 && word_.text[0] == '{' &&
                         word_.text.find('}') == word_.text.size() - 1 && braces_.size() == 2;
    if (is_number || is_name) {
      in_word_ = false;
      word_ = {};
      braces_.clear();
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
  std::size_t piped_since_ = kNone;
  std::vector<std::size_t> shells_;  // Around what is read; the last is the inmost.
  Word word_;
  bool in_word_ = false;
  bool quoted_ = false;
  bool has_plain_equals_ = false;
  bool in_test_ = false;  // Within `[[ … ]]`, where `<` compares.
  // What stood before the word that comes.
  enum class Before { nothing, time, function, coproc };
  Before before_ = Before::nothing;
  std::size_t coprocess_ = kNone;    // The command behind `coproc`.
  std::vector<std::size_t> braces_;  // Where the word has `{`, `,` or `}` without quotes.
  std::vector<std::size_t> groups_;  // The first command of each that is open.
  std::size_t ended_since_ = kNone;  // Of the group that was just closed.
  std::size_t ended_with_ = kNone;
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
