#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spoor::report::debrief {

/// At most `most` code points of `text`; of a longer one the last place holds an ellipsis instead.
/// A byte that is no UTF-8 counts as one and stays as it is.
std::string cut(std::string_view text, std::size_t most);

/// The first line of `text` that is not blank, without white space around it, cut.
std::string first_line(std::string_view text, std::size_t most);

/// The first line that says something: that holds a letter, a digit or what is no ASCII; else as
/// first_line().
std::string first_words(std::string_view text, std::size_t most);

/// All of it on one line: runs of white space are one blank.
std::string one_line(std::string_view text);

}  // namespace spoor::report::debrief
