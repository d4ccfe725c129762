#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/interrupt.h"
#include "cli/terminal/style.h"
#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// The only way to write to a stream. Escapes text (untrusted.h) unless `raw`, turns styles into
/// colours or nothing, and buffers small writes. Nothing reaches the terminal before flush() or 64
/// KiB. Not for use from two threads.
class Output {
 public:
  Output(Terminal& terminal, Stream stream) : terminal_(&terminal), stream_(stream) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Sets colour and raw mode; call it before the first write.
  void use(bool color, bool raw) { color_ = color, raw_ = raw; }

  /// Prints text of any origin.
  Output& print(std::string_view text);

  /// Prints text of any origin in a style. Each line is coloured separately, so that a pager may
  /// show any part of it.
  Output& print(Style style, std::string_view text);

  /// Writes bytes unchanged: only for the program's own output (JSON, scripts).
  Output& verbatim(std::string_view bytes);

  Output& newline() { return verbatim("\n"); }

  void flush();

  /// Switches to another terminal; buffered output is written to the old one.
  void attach(Terminal& terminal);

  /// Returns true if the last output did not end with a line end.
  bool is_mid_line() const { return is_mid_line_; }

  /// Accepts output again when a new command begins.
  void reopen() { closed_ = false; }

  /// Returns true if the reader closed the stream or pressed Ctrl-C: stop without an error.
  bool is_closed() const { return closed_ || (stream_ == Stream::out && is_output_cancelled()); }

  /// Returns true if a person reads it, so lines may be cut to width() and times be relative.
  bool is_tty() const { return terminal_->is_tty(stream_); }
  bool has_color() const { return color_; }
  bool is_raw() const { return raw_; }
  int width() const { return terminal_->width(); }

 private:
  void append(std::string_view text);

  Terminal* terminal_;  // Never null.
  Stream stream_;
  std::string buffer_;
  bool color_ = false;
  bool raw_ = false;
  bool closed_ = false;
  bool is_mid_line_ = false;
};

}  // namespace spoor::cli
