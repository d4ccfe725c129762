#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::graph {

/// A letter or digit, as far as a byte tells: words are runs of these.
constexpr bool is_word_byte(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A query for words, taken apart. `largest remainder` wants both words, `"largest
/// remainder"` the phrase, `remain*` words that begin so; AND, OR and NOT (in capitals)
/// and parentheses join these, NOT binding closest, then AND. A word is a run of
/// letters and digits, whatever their case; other marks within a word part it, and the
/// parts must follow each other.
struct TextQuery {
  std::string expression;  ///< as SQLite's FTS5 takes it, every word quoted

  /// A word that a match shows, in lower case (ASCII), for marking it.
  struct Word {
    std::string text;
    bool is_prefix = false;

    bool operator==(const Word&) const = default;
  };
  std::vector<Word> words;  ///< those behind a NOT are not among them
};

/// Code::invalid, with a hint, for what is no query: no word, an open quote or
/// parenthesis, an operator without its sides, NOT without something before it.
Result<TextQuery> parse_text_query(std::string_view text);

}  // namespace spoor::graph
