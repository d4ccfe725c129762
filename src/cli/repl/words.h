#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli {

/// One word of a line, with quotes and backslashes removed.
struct Word {
  std::string text;
  std::size_t begin = 0;  ///< its offset in the line, quotes included
  std::size_t end = 0;
};

/// The words of one command, split as by a shell. Blanks separate words. '...' quotes all
/// characters, "..." all but \" and \\. A backslash outside quotes quotes the next character, and
/// removes a line end. # begins a comment where a word could begin. Nothing is expanded.
struct Words {
  std::vector<Word> words;
  std::size_t end = 0;   ///< where the command ends: its unquoted line end, or all of the text
  bool is_open = false;  ///< a quote is not closed, or a backslash ends the text
  bool in_word = false;  ///< the text ends within a word: nothing parts it from more
};
Words split_words(std::string_view text);

/// Returns `text` in single quotes, as a shell reads it.
std::string in_quotes(std::string_view text);

/// Quotes `text` so that split_words() returns it as one word.
std::string quoted_word(std::string_view text);

}  // namespace spoor::cli
