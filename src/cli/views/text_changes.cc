#include "cli/views/text_changes.h"

#include <algorithm>

#include "graph/unified_diff.h"

namespace spoor::cli {
namespace {

using graph::TextPiece;
using Kind = graph::TextPiece::Kind;

constexpr std::size_t kWordContext = 1;

// A piece of one line of the word diff.
struct Segment {
  Kind kind;
  std::string_view text;
};
struct WordLine {
  std::vector<Segment> segments;
  bool is_changed = false;
};

std::vector<WordLine> word_lines(const std::vector<TextPiece>& pieces) {
  std::vector<WordLine> lines(1);
  for (const TextPiece& piece : pieces) {
    std::string_view rest = piece.text;
    while (true) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (end > 0) lines.back().segments.push_back({piece.kind, rest.substr(0, end)});
      if (piece.kind != Kind::same && !rest.empty()) lines.back().is_changed = true;
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
      lines.emplace_back();
    }
  }
  if (lines.back().segments.empty()) lines.pop_back();
  return lines;
}

void print_segment(Output& out, const Segment& segment) {
  if (segment.kind == Kind::same) {
    out.print(segment.text);
    return;
  }
  const bool is_added = segment.kind == Kind::added;
  const Style style = is_added ? Style::added_word : Style::removed_word;
  if (out.has_color()) {
    out.print(style, segment.text);
  } else {
    out.print(is_added ? "{+" : "[-").print(segment.text).print(is_added ? "+}" : "-]");
  }
}

std::uint64_t words_in(std::string_view text) {
  std::uint64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank && !inside) ++words;
    inside = !is_blank;
  }
  return words;
}

}  // namespace

void print_word_diff(Output& out, std::string_view before, std::string_view after,
                     std::string_view indent) {
  const std::vector<TextPiece> pieces = graph::diff_words(before, after);
  const std::vector<WordLine> lines = word_lines(pieces);
  std::vector<bool> changed;
  changed.reserve(lines.size());
  for (const WordLine& line : lines) changed.push_back(line.is_changed);
  const std::vector<bool> near = graph::near_changes(changed, kWordContext);
  bool is_gap = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!near[i]) {
      if (!is_gap) out.print(indent).print(Style::muted, "…").newline();
      is_gap = true;
      continue;
    }
    is_gap = false;
    out.print(indent);
    for (const Segment& segment : lines[i].segments) print_segment(out, segment);
    out.newline();
  }
}

WordCounts count_words(std::string_view before, std::string_view after) {
  WordCounts counts;
  for (const TextPiece& piece : graph::diff_words(before, after)) {
    if (piece.kind == Kind::added) counts.added += words_in(piece.text);
    if (piece.kind == Kind::removed) counts.removed += words_in(piece.text);
  }
  return counts;
}

}  // namespace spoor::cli
