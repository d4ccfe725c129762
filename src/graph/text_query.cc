#include "graph/text_query.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace spoor::graph {

namespace {

// The limit on nested parentheses: FTS5 has one, and this parser is recursive.
constexpr int kDeepest = 50;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Token {
  enum class Kind { words, open, close, conjunction, disjunction, negation, end };
  Kind kind = Kind::end;
  std::string text;  // For words: as written, without quotes.
  bool is_prefix = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<TextQuery> parse() {
    TRY(advance());
    if (next_.kind == Token::Kind::end) return bad("it contains no word");
    query_.expression = TRY(any(0));
    if (next_.kind != Token::Kind::end) return bad("a ')' has no '('");
    return std::move(query_);
  }

 private:
  Error bad(std::string_view why) const {
    return invalid(fmt::format("'{}' is not a query: {}", text_, why),
                   "for example: \"largest remainder\" AND (cent OR percent*) NOT tax");
  }

  static bool is_negated(int negations) { return negations > 0; }

  // one OR other
  Result<std::string> any(int depth) {
    if (depth > kDeepest) return bad("its parentheses are nested too deep");
    std::string text = TRY(all(depth));
    while (next_.kind == Token::Kind::disjunction) {
      TRY(advance());
      text += " OR " + TRY(all(depth));
    }
    return text;
  }

  // one other, one AND other
  Result<std::string> all(int depth) {
    std::string text = TRY(without(depth));
    while (true) {
      const bool is_and = next_.kind == Token::Kind::conjunction;
      if (is_and) TRY(advance());
      const bool goes_on = next_.kind == Token::Kind::words || next_.kind == Token::Kind::open;
      if (!is_and && !goes_on) return text;
      text += " AND " + TRY(without(depth));
    }
  }

  // one NOT other
  Result<std::string> without(int depth) {
    std::string text = TRY(single(depth));
    while (next_.kind == Token::Kind::negation) {
      TRY(advance());
      ++negations_;
      text = fmt::format("({} NOT {})", text, TRY(single(depth)));
      --negations_;
    }
    return text;
  }

  Result<std::string> single(int depth) {
    if (next_.kind == Token::Kind::negation) return bad("NOT needs something before it");
    if (next_.kind == Token::Kind::open) {
      TRY(advance());
      std::string text = "(" + TRY(any(depth + 1)) + ")";
      if (next_.kind != Token::Kind::close) return bad("a '(' is not closed");
      TRY(advance());
      return text;
    }
    if (next_.kind != Token::Kind::words) return bad("an operator lacks a side");
    std::string text = TRY(quoted(next_));
    TRY(advance());
    return text;
  }

  Result<std::string> quoted(const Token& token) {
    bool has_word = false;
    for (std::size_t at = 0; at < token.text.size();) {
      std::size_t end = at;
      while (end < token.text.size() && is_word_byte(token.text[end])) ++end;
      if (end > at) {
        std::string word = token.text.substr(at, end - at);
        std::transform(word.begin(), word.end(), word.begin(), lower);
        const bool is_last = token.text.find_first_not_of(' ', end) == std::string::npos;
        if (!is_negated(negations_)) {
          query_.words.push_back({std::move(word), token.is_prefix && is_last});
        }
        has_word = true;
      }
      at = std::max(end, at + 1);
    }
    if (!has_word) return bad(fmt::format("'{}' contains no letter or digit", token.text));
    return fmt::format("\"{}\"{}", token.text, token.is_prefix ? "*" : "");
  }

  Result<void> advance() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    next_ = {};
    if (at_ == text_.size()) return {};
    const char c = text_[at_];
    if (c == '(' || c == ')') {
      next_.kind = c == '(' ? Token::Kind::open : Token::Kind::close;
      ++at_;
      return {};
    }
    next_.kind = Token::Kind::words;
    if (c == '"') {
      const std::size_t close = text_.find('"', at_ + 1);
      if (close == std::string_view::npos) return bad("a quote is not closed");
      next_.text = text_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
    } else {
      std::size_t end = at_;
      while (end < text_.size() && !is_blank(text_[end]) &&
             std::string_view("()\"*").find(text_[end]) == std::string_view::npos) {
        ++end;
      }
      next_.text = text_.substr(at_, end - at_);
      at_ = end;
      if (next_.text == "AND") next_.kind = Token::Kind::conjunction;
      if (next_.text == "OR") next_.kind = Token::Kind::disjunction;
      if (next_.text == "NOT") next_.kind = Token::Kind::negation;
    }
    if (at_ < text_.size() && text_[at_] == '*') {
      if (next_.kind != Token::Kind::words || next_.text.empty()) {
        return bad("'*' must follow the beginning of a word");
      }
      next_.is_prefix = true;
      ++at_;
    }
    // FTS5 would end its text at a NUL.
    if (next_.text.find('\0') != std::string::npos) return bad("it contains a NUL byte");
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int negations_ = 0;
  Token next_;
  TextQuery query_;
};

}  // namespace

Result<TextQuery> parse_text_query(std::string_view text) { return Parser(text).parse(); }

}  // namespace spoor::graph
