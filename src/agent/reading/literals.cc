#include "agent/reading/literals.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"

namespace spoor::agent::reading {
namespace {

constexpr int kMaxDepth = 64;
// Gemma's and FunctionGemma's quotes.
constexpr std::array<std::string_view, 2> kGemmaQuotes = {"<|\"|>", "<escape>"};

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f'); });
}

class Literal {
 public:
  Literal(std::string_view text, std::size_t& at, Notation notation)
      : text_(text), at_(at), notation_(notation) {}

  std::optional<std::string> read(int depth) {
    skip_space();
    if (at_ >= text_.size() || depth > kMaxDepth) return std::nullopt;
    if (text_[at_] == '{') return object(depth);
    if (text_[at_] == '[') return list(']', depth);
    if (text_[at_] == '(' && notation_ == Notation::python) return list(')', depth);
    if (begins_text()) {
      const auto text = quoted();
      return text ? std::optional(json::write_string(*text)) : std::nullopt;
    }
    return bare();
  }

 private:
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }

  void skip_space() { at_ = std::min(text_.find_first_not_of(kWhiteSpace, at_), text_.size()); }

  bool take(char c) {
    skip_space();
    const bool is_here = rest().starts_with(c);
    if (is_here) ++at_;
    return is_here;
  }

  bool begins_text() const {
    return notation_ == Notation::gemma ? !gemma_quote().empty()
                                        : rest().starts_with('"') || rest().starts_with('\'');
  }

  std::string_view gemma_quote() const {
    for (const std::string_view quote : kGemmaQuotes) {
      if (rest().starts_with(quote)) return quote;
    }
    return {};
  }

  std::optional<std::string> quoted() {
    if (notation_ == Notation::python) return python_text();
    const std::string_view quote = gemma_quote();
    const std::size_t begin = at_ + quote.size();
    const std::size_t end = text_.find(quote, begin);
    at_ = std::min(end, text_.size());
    if (end == std::string_view::npos) return std::nullopt;
    at_ += quote.size();
    return std::string(text_.substr(begin, end - begin));
  }

  std::optional<std::string> python_text() {
    const char mark = text_[at_];
    const std::string three(3, mark);
    const std::string_view quote =
        rest().starts_with(three) ? std::string_view(three) : text_.substr(at_, 1);
    std::string inside;  // With JSON's escapes.
    for (at_ += quote.size(); at_ < text_.size();) {
      if (rest().starts_with(quote)) {
        at_ += quote.size();
        return json::unescape(inside);
      }
      if (text_[at_] == '\n' && quote.size() == 1) return std::nullopt;
      if (text_[at_] == '\\') {
        append_escape(inside);
      } else {
        inside += text_[at_++];
      }
    }
    return std::nullopt;
  }

  // Translates an escape of Python into one of JSON. Python keeps an unknown one with its
  // backslash.
  void append_escape(std::string& out) {
    const std::string_view escape = rest();
    const char kind = escape.size() > 1 ? escape[1] : '\0';
    std::size_t size = 2;
    if (std::string_view("\"\\bfnrt").find(kind) != std::string_view::npos) {
      out += escape.substr(0, 2);
    } else if (kind == '\'') {
      out += kind;
    } else if (kind == 'u' && escape.size() >= 6 && is_hex(escape.substr(2, 4))) {
      out += escape.substr(0, size = 6);
    } else if (kind == 'x' && escape.size() >= 4 && is_hex(escape.substr(2, 2))) {
      out += "\\u00";
      out += escape.substr(2, 2);
      size = 4;
    } else if (kind != '\n') {
      out += "\\\\";
      size = 1;
    }
    at_ += size;
  }

  // Appends to `elements` until `end`; false if that is missing.
  template <class Element>
  bool sequence(char end, Element element) {
    ++at_;
    while (!take(end)) {
      if (!element()) return false;
      if (!take(',')) return take(end);
    }
    return true;
  }

  std::optional<std::string> list(char end, int depth) {
    std::vector<std::string> elements;
    const bool is_closed = sequence(end, [&] {
      auto element = read(depth + 1);
      if (element) elements.push_back(std::move(*element));
      return element.has_value();
    });
    return is_closed ? std::optional(json::write_array(elements)) : std::nullopt;
  }

  std::optional<std::string> object(int depth) {
    json::Object object;
    const bool is_closed = sequence('}', [&] {
      skip_space();
      const auto key = begins_text() ? quoted() : bare_key();
      if (!key || !take(':')) return false;
      auto value = read(depth + 1);
      if (value) object.add_json(*key, std::move(*value));
      return value.has_value();
    });
    return is_closed ? std::optional(object.write()) : std::nullopt;
  }

  std::optional<std::string> bare_key() {
    if (notation_ != Notation::gemma) return std::nullopt;
    return std::string(trimmed(word(":,{}[]")));
  }

  std::string_view word(std::string_view ends) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  std::optional<std::string> bare() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {
        {{"True", "true"},
         {"False", "false"},
         {"None", "null"},
         {"true", "true"},
         {"false", "false"},
         {"null", "null"}}};
    const bool is_gemma = notation_ == Notation::gemma;
    const std::string_view text = trimmed(word(is_gemma ? ",]}" : ",])}; \t\r\n\f\v#"));
    for (const auto& [written, json] : kWords) {
      if (text == written) return std::string(json);
    }
    const auto number = json::parse(text);
    if (number && number->root().is_number()) return std::string(text);
    return is_gemma ? std::optional(json::write_string(text)) : std::nullopt;
  }

  const std::string_view text_;
  std::size_t& at_;
  const Notation notation_;
};

}  // namespace

std::optional<std::string> read_literal(std::string_view text, std::size_t& at, Notation notation) {
  return Literal(text, at, notation).read(0);
}

}  // namespace spoor::agent::reading
