#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// A progress line on standard error, rewritten in place, and only at a terminal. It appears after
/// a tenth of a second of work, changes ten times a second at most, and disappears when this object
/// is destroyed.
class Progress {
 public:
  Progress(Terminal& terminal, std::string label);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `done` of `total` units (0: total unknown), and a note.
  void update(std::uint64_t done, std::uint64_t total, std::string_view note);

  /// Clears the line, so that other output can be printed.
  void clear();

 private:
  Terminal& terminal_;
  std::string label_;
  bool shown_ = false;
  // The real clock, not the port: this is about a person's patience and is never recorded.
  std::chrono::steady_clock::time_point next_;
};

/// Returns the line, at most `columns` wide: label, bar, percentage, note.
std::string progress_line(std::string_view label, std::uint64_t done, std::uint64_t total,
                          std::string_view note, int columns);

}  // namespace spoor::cli
