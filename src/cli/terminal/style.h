#pragma once

#include <string_view>

namespace spoor::cli {

/// The role of a piece of output; the theme (style.cc) defines its look.
enum class Style : unsigned char {
  plain,
  commit,         ///< an object's short name
  commit_unique,  ///< its shortest unambiguous digits
  added,
  removed,
  added_word,
  removed_word,
  hunk,
  branch,
  tag,
  head,
  reasoning,
  muted,  ///< secondary text
  strong,
  error,
  warning,
  hint,
  pinned,
  edited,
  match,  ///< a search match
  system,
  user,
  assistant,
  tool,
};

/// Returns the SGR parameters of a style, for example "1;32"; empty for plain. Uses only the 16
/// colours that every terminal's palette defines.
std::string_view sgr(Style style);

}  // namespace spoor::cli
