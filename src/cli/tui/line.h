#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/style.h"

namespace spoor::cli::tui {

/// The look of a piece of text: the part of SGR that the theme uses.
struct Look {
  int color = -1;  ///< 0 to 7 of the terminal's palette; -1 is the terminal's own
  bool bold = false;
  bool dim = false;
  bool reverse = false;

  bool operator==(const Look&) const = default;
};

/// Returns the look that SGR parameters such as "1;34" give; ignores all others.
Look look_of(std::string_view sgr);
Look look_of(Style style);

/// A piece of a line. `text` is visible (terminal/untrusted.h) and has no line end and no tab.
struct Span {
  std::string text;
  Look look;
};

/// One row of the screen, or a part of one.
using Line = std::vector<Span>;

int width_of(const Line& line);

/// Returns the line in exactly `columns`: cut, with `…` at its end, or filled with blanks.
Line fitted(const Line& line, int columns);

/// Returns the text of a line.
std::string text_of(const Line& line);

}  // namespace spoor::cli::tui
