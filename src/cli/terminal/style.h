#pragma once

#include <string_view>

namespace spoor::cli {

/// What a piece of output *is*; the theme (style.cc) says how that looks.
enum class Style : unsigned char {
  plain,
  commit,         ///< an object's short name
  commit_unique,  ///< the digits of it that suffice
  added,
  removed,
  added_word,
  removed_word,
  hunk,
  branch,
  tag,
  head,
  reasoning,
  muted,  ///< there, but not what one looks for
  strong,
  error,
  warning,
  hint,
  pinned,
  edited,
  match,  ///< what a search found
  system,
  user,
  assistant,
  tool,
};

/// The SGR parameters of a style, for example "1;32"; empty for plain. Only the
/// 16 colours every terminal's own palette defines.
std::string_view sgr(Style style);

}  // namespace spoor::cli
