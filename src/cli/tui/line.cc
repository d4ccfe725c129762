#include "cli/tui/line.h"

#include <charconv>

#include "cli/terminal/width.h"

namespace spoor::cli::tui {

Look look_of(std::string_view sgr) {
  Look look;
  while (!sgr.empty()) {
    int parameter = 0;
    const char* const end = sgr.data() + sgr.size();
    const auto read = std::from_chars(sgr.data(), end, parameter);
    if (parameter == 0) look = {};
    if (parameter == 1) look.bold = true;
    if (parameter == 2) look.dim = true;
    if (parameter == 7) look.reverse = true;
    if (parameter >= 30 && parameter <= 37) look.color = parameter - 30;
    sgr.remove_prefix(std::min(sgr.size(), static_cast<std::size_t>(read.ptr - sgr.data()) + 1));
  }
  return look;
}

Look look_of(Style style) { return look_of(sgr(style)); }

int width_of(const Line& line) {
  int columns = 0;
  for (const Span& span : line) columns += display_width(span.text);
  return columns;
}

Line fitted(const Line& line, int columns) {
  Line out;
  const bool is_cut = width_of(line) > columns;
  int left = columns;
  for (const Span& span : line) {
    const int width = display_width(span.text);
    // A cut line has room for its mark.
    if (is_cut && width >= left) {
      out.push_back({left > 0 ? truncated(span.text + " ", left) : std::string(), span.look});
      left -= display_width(out.back().text);
      break;
    }
    out.push_back(span);
    left -= width;
  }
  if (left > 0) out.push_back({std::string(static_cast<std::size_t>(left), ' '), {}});
  return out;
}

std::string text_of(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return text;
}

}  // namespace spoor::cli::tui
