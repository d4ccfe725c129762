#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli {

/// One word of a line, quotes and backslashes undone.
struct Word {
  std::string text;
  std::size_t begin = 0;  ///< where it stands in the line, quotes included
  std::size_t end = 0;
};

/// The words of one command, as a shell reads them: blanks part words; '...' holds
/// everything as it is; "..." does too, but \" and \\; a backslash outside quotes
/// takes the next character as it is, and with a line end vanishes; # begins a
/// remark where a word could begin. Nothing is expanded.
struct Words {
  std::vector<Word> words;
  std::size_t end = 0;   ///< where the command ends: its unquoted line end, or all of the text
  bool is_open = false;  ///< a quote is not closed, or a backslash ends the text
  bool in_word = false;  ///< the text ends within a word: nothing parts it from more
};
Words split_words(std::string_view text);

/// `text` so that split_words() reads it back as one word.
std::string quoted_word(std::string_view text);

}  // namespace spoor::cli
