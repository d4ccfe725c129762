#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// One line about long work, rewritten in place on standard error, and only
/// where a person sees it. It appears once the work has taken a tenth of a
/// second, changes ten times a second at most, and is gone when this is.
class Progress {
 public:
  Progress(Terminal& terminal, std::string label);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total` units (0: total unknown), and a word about them.
  void update(std::uint64_t done, std::uint64_t total, std::string_view note);

  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  Terminal& terminal_;
  std::string label_;
  bool shown_ = false;
  // The real clock, not the port: this is about a person's patience, and
  // nothing that is recorded.
  std::chrono::steady_clock::time_point next_;
};

/// The line itself, at most `columns` wide: label, bar, percentage, note.
std::string progress_line(std::string_view label, std::uint64_t done, std::uint64_t total,
                          std::string_view note, int columns);

}  // namespace spoor::cli
