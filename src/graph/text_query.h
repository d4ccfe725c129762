#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::graph {

/// Reports whether `c` is a letter or digit, judged by one byte. A word is a run of these.
constexpr bool is_word_byte(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A parsed query for words.
///
/// `largest remainder` matches both words, `"largest remainder"` the phrase, `remain*` words with
/// that prefix. AND, OR and NOT (in capitals) and parentheses join these; NOT binds closest, then
/// AND. A word is a run of letters and digits; case is ignored. Other characters split a word, and
/// the parts must follow each other.
struct TextQuery {
  std::string expression;  ///< in SQLite's FTS5 syntax, every word quoted

  /// A word to mark in a match, in lower case (ASCII).
  struct Word {
    std::string text;
    bool is_prefix = false;

    bool operator==(const Word&) const = default;
  };
  std::vector<Word> words;  ///< without those after a NOT
};

/// Parses a query. Returns Code::invalid, with a hint, if `text` has no word, an open quote or
/// parenthesis, an operator without an operand, or NOT with nothing before it.
Result<TextQuery> parse_text_query(std::string_view text);

}  // namespace spoor::graph
