#include "cli/text_changes.h"

#include <algorithm>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

using compile::TextPiece;
using Kind = compile::TextPiece::Kind;

constexpr std::size_t kContext = 3;
constexpr std::size_t kWordContext = 1;

char sign_of(Kind kind) { return kind == Kind::same ? ' ' : kind == Kind::removed ? '-' : '+'; }

// A line of either text, with its place in both.
struct Line {
  Kind kind;
  std::string_view text;  // Without its end.
  bool has_end;
};

std::vector<Line> lines_of(const std::vector<TextPiece>& pieces) {
  std::vector<Line> lines;
  for (const TextPiece& piece : pieces) {
    std::string_view rest = piece.text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const bool has_end = end != std::string_view::npos;
      lines.push_back({piece.kind, rest.substr(0, has_end ? end : rest.size()), has_end});
      rest.remove_prefix(has_end ? end + 1 : rest.size());
    }
  }
  return lines;
}

// Which lines stand within `context` of a change.
template <class IsChanged>
std::vector<bool> near_changes(std::size_t count, std::size_t context, IsChanged&& is_changed) {
  std::vector<bool> near(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_changed(i)) continue;
    const std::size_t first = i < context ? 0 : i - context;
    for (std::size_t j = first; j < std::min(i + context + 1, count); ++j) near[j] = true;
  }
  return near;
}

// "-3,4": where a hunk begins in one text and how many lines it takes there.
std::string range(char sign, std::size_t before, std::size_t count) {
  const std::size_t first = count == 0 ? before : before + 1;
  return count == 1 ? fmt::format("{}{}", sign, first) : fmt::format("{}{},{}", sign, first, count);
}

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

std::vector<UnifiedLine> unified_diff(std::string_view before, std::string_view after) {
  const std::vector<TextPiece> pieces = compile::diff_lines(before, after);
  const std::vector<Line> lines = lines_of(pieces);
  const std::vector<bool> near = near_changes(
      lines.size(), kContext, [&](std::size_t i) { return lines[i].kind != Kind::same; });

  std::vector<UnifiedLine> out;
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  for (std::size_t i = 0; i < lines.size();) {
    if (!near[i]) {  // Only lines that both have are far from a change.
      ++old_line, ++new_line, ++i;
      continue;
    }
    const std::size_t header = out.size();
    const std::size_t old_first = old_line;
    const std::size_t new_first = new_line;
    out.push_back({'@', {}});
    for (; i < lines.size() && near[i]; ++i) {
      out.push_back({sign_of(lines[i].kind), std::string(lines[i].text)});
      if (!lines[i].has_end) out.push_back({'\\', " No newline at end of file"});
      if (lines[i].kind != Kind::added) ++old_line;
      if (lines[i].kind != Kind::removed) ++new_line;
    }
    out[header].text = fmt::format("@ {} {} @@", range('-', old_first, old_line - old_first),
                                   range('+', new_first, new_line - new_first));
  }
  return out;
}

void print_word_diff(Output& out, std::string_view before, std::string_view after,
                     std::string_view indent) {
  const std::vector<TextPiece> pieces = compile::diff_words(before, after);
  const std::vector<WordLine> lines = word_lines(pieces);
  const std::vector<bool> near =
      near_changes(lines.size(), kWordContext, [&](std::size_t i) { return lines[i].is_changed; });
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
  for (const TextPiece& piece : compile::diff_words(before, after)) {
    if (piece.kind == Kind::added) counts.added += words_in(piece.text);
    if (piece.kind == Kind::removed) counts.removed += words_in(piece.text);
  }
  return counts;
}

}  // namespace spoor::cli
