#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/interrupt.h"
#include "cli/terminal/style.h"
#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// What a user chose about colour, strongest first: flag, config, NO_COLOR, tty.
enum class ColorMode : unsigned char { automatic, always, never };

/// The one way to a stream. Text is made harmless (untrusted.h) unless `raw`,
/// styles become colours or nothing, small writes are gathered. Nothing reaches
/// the terminal before flush() or 64 KiB. Not for use from two threads.
class Output {
 public:
  Output(Terminal& terminal, Stream stream) : terminal_(&terminal), stream_(stream) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Decided once, before the first write.
  void use(bool color, bool raw) { color_ = color, raw_ = raw; }

  /// Text of any origin.
  Output& print(std::string_view text);

  /// Text of any origin in a style. Each line is coloured by itself, so that a
  /// pager may show any part of it.
  Output& print(Style style, std::string_view text);

  /// Bytes as they are: what this program made itself (JSON, scripts) and
  /// nothing else.
  Output& verbatim(std::string_view bytes);

  Output& newline() { return verbatim("\n"); }

  void flush();

  /// Writes to another terminal from now on; what was held back goes to the old one.
  void attach(Terminal& terminal);

  /// Does what was printed last end within a line?
  bool is_mid_line() const { return is_mid_line_; }

  /// A new command begins: somebody reads again.
  void reopen() { closed_ = false; }

  /// The reader has gone, or has had enough: stop, quietly.
  bool is_closed() const { return closed_ || (stream_ == Stream::out && is_output_cancelled()); }

  /// A person looks at it, so lines may be cut to width() and times be relative.
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
