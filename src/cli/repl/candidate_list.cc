#include "cli/repl/candidate_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"

namespace spoor::cli {
namespace {

constexpr int kGap = 2;
constexpr int kWidestName = 40;
constexpr int kLinesKept = 4;  // Lines of the screen that keep earlier output.

std::string muted(const Output& out, const std::string& text) {
  if (!out.has_color() || text.empty()) return text;
  return fmt::format("\033[{}m{}\033[0m", sgr(Style::muted), text);
}

int widest(const std::vector<Candidate>& found) {
  int width = 0;
  for (const Candidate& candidate : found) width = std::max(width, display_width(candidate.text));
  return width;
}

std::string with_help(const Output& out, const std::vector<Candidate>& found) {
  const int names = std::min(widest(found), kWidestName);
  std::string lines;
  for (const Candidate& candidate : found) {
    const std::string name =
        padded(truncated(visible_line(candidate.text), out.width() - 1), names);
    const int room = out.width() - display_width(name) - kGap - 1;
    const std::string help = room < 8 ? "" : truncated(visible_line(candidate.help), room);
    lines += name + (help.empty() ? "" : "  ") + muted(out, help) + "\n";
  }
  return lines;
}

std::string side_by_side(const Output& out, const std::vector<Candidate>& found, int columns) {
  const int width = out.width() / columns - kGap;
  std::string lines;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string name = truncated(visible_line(found[i].text), width);
    const bool ends_line = (i + 1) % static_cast<std::size_t>(columns) == 0;
    lines += ends_line || i + 1 == found.size() ? name + "\n" : padded(name, width + kGap);
  }
  return lines;
}

}  // namespace

std::string list_candidates(const Output& out, int height, const std::vector<Candidate>& found) {
  const bool has_help =
      std::any_of(found.begin(), found.end(), [](const Candidate& c) { return !c.help.empty(); });
  const int columns = has_help ? 1 : std::max(out.width() / (widest(found) + kGap), 1);
  const auto rows = static_cast<std::size_t>(std::max(height - kLinesKept, 4));
  const std::size_t shown = std::min(found.size(), rows * static_cast<std::size_t>(columns));
  const std::vector<Candidate> first(found.begin(),
                                     found.begin() + static_cast<std::ptrdiff_t>(shown));
  std::string lines = has_help ? with_help(out, first) : side_by_side(out, first, columns);
  if (shown < found.size()) lines += muted(out, "… and more") + "\n";
  return lines;
}

}  // namespace spoor::cli
