#pragma once

#include <memory>

#include "cli/error.h"
#include "cli/tui/screen.h"

namespace spoor::cli::tui {

/// The terminal, by ncurses: it knows the terminal's sequences and sends only what has changed. One
/// per process. The terminal is as before after the destructor, and while the process is suspended.
class CursesScreen final : public Screen {
 public:
  /// Takes the terminal. `color`: use its palette. Returns Code::unavailable if standard input or
  /// output is not a terminal, or TERM names none that can be drawn on.
  static Result<std::unique_ptr<CursesScreen>> open(bool color);
  ~CursesScreen() override;
  CursesScreen(const CursesScreen&) = delete;
  CursesScreen& operator=(const CursesScreen&) = delete;

  int rows() const override;
  int columns() const override;
  void show(const std::vector<Line>& frame, std::optional<ScreenPosition> cursor) override;
  std::optional<Key> next(std::chrono::milliseconds most) override;
  void copy(std::string_view text) override;

 private:
  explicit CursesScreen(void* terminal) : terminal_(terminal) {}

  void* terminal_;  // ncurses's.
  bool has_color_ = false;
};

}  // namespace spoor::cli::tui
