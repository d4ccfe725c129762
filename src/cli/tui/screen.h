#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/tui/line.h"

namespace spoor::cli::tui {

/// A key: a character, or one without.
using Key = char32_t;

namespace keys {

constexpr Key interrupt = 3;  ///< Ctrl-C
constexpr Key tab = '\t';
constexpr Key enter = '\n';
constexpr Key escape = 27;
constexpr Key backspace = 127;

// Above all characters.
constexpr Key up = 0x110000;
constexpr Key down = 0x110001;
constexpr Key left = 0x110002;
constexpr Key right = 0x110003;
constexpr Key page_up = 0x110004;
constexpr Key page_down = 0x110005;
constexpr Key home = 0x110006;
constexpr Key end = 0x110007;
constexpr Key back_tab = 0x110008;
constexpr Key resized = 0x110009;  ///< the screen has another size now
constexpr Key closed = 0x11000a;   ///< the terminal is gone: no more keys follow

}  // namespace keys

/// Returns the key that Ctrl and a capital letter give.
constexpr Key ctrl(char letter) { return static_cast<Key>(letter) & 0x1f; }

/// A place on the screen, counted from 0.
struct ScreenPosition {
  int row = 0;
  int column = 0;
};

/// The whole terminal, as rows of text. A port, so that the browser runs in tests. For one thread.
class Screen {
 public:
  virtual ~Screen() = default;

  virtual int rows() const = 0;
  virtual int columns() const = 0;

  /// Shows a frame: rows() lines of columns() each. The cursor is hidden without a place.
  virtual void show(const std::vector<Line>& frame, std::optional<ScreenPosition> cursor) = 0;

  /// Waits at most this long for a key. Returns nullopt if there was none.
  virtual std::optional<Key> next(std::chrono::milliseconds most) = 0;

  /// Asks the terminal to put a text into the clipboard. It may refuse without saying so.
  virtual void copy(std::string_view text) = 0;
};

}  // namespace spoor::cli::tui
