#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spoor::report::debrief {

/// Returns at most `most` code points of `text`; if it is longer, the last one is an ellipsis. A
/// byte that is not UTF-8 counts as one code point and is kept.
std::string cut(std::string_view text, std::size_t most);

/// Returns the first line of `text` that is not blank, without white space around it, cut to
/// `most`.
std::string first_line(std::string_view text, std::size_t most);

/// Returns the first line with words: it contains a letter, a digit or a character beyond ASCII. If
/// there is none, does the same as first_line().
std::string first_words(std::string_view text, std::size_t most);

/// Returns all of `text` on one line: each run of white space becomes one blank.
std::string one_line(std::string_view text);

}  // namespace spoor::report::debrief
