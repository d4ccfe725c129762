#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/tui/line.h"

namespace spoor::cli::tui {

/// A text with looks, laid out in rows of a screen.
class Text {
 public:
  Text() = default;

  /// Reads what Output printed at a terminal: visible text and SGR sequences (terminal/style.h).
  /// Drops every other sequence.
  explicit Text(std::string_view printed);

  /// Breaks the lines into rows of at most `columns`, at blanks if there are any. A row that
  /// continues a line is indented like it.
  void lay_out(int columns);

  std::size_t rows() const { return rows_.size(); }

  /// Returns a row of the layout.
  Line row(std::size_t index) const;

  /// Returns the first row at or after `from` (or, backwards, at or before it) whose line contains
  /// `needle` in that row; case counts if `needle` has a capital.
  std::optional<std::size_t> find(std::string_view needle, std::size_t from, bool forward) const;

 private:
  struct Row {
    std::size_t begin, end;
    int indent;  // Blanks before it.
  };

  void add_rows(std::size_t begin, std::size_t end, int columns);

  std::string text_;
  std::vector<std::pair<std::size_t, Look>> looks_;  // From which byte on.
  std::vector<Row> rows_;
};

/// Returns whether `text` contains `needle`; case counts if `needle` has a capital of ASCII.
bool contains(std::string_view text, std::string_view needle);

}  // namespace spoor::cli::tui
