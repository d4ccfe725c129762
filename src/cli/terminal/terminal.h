#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/error.h"

namespace spoor::cli {

/// The two output streams: results, and messages about them.
enum class Stream : unsigned char { out, err };

/// The program's standard input, output and error. A port, so that commands run in tests, in the
/// interactive session and in pipes. Not safe to share between threads.
class Terminal {
 public:
  virtual ~Terminal() = default;

  /// Writes all of `bytes` unchanged. Returns false after the reader closed the stream (a broken
  /// pipe) or if the disk is full; the caller then stops, and finish() reports the cause.
  virtual bool write(Stream stream, std::string_view bytes) = 0;

  /// Fills the front of `buffer` from standard input; returns 0 at its end. Returns Code::io.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;

  /// Returns true if the stream is a terminal, also with a pager.
  virtual bool is_tty(Stream stream) const = 0;

  /// Returns true if standard input is a terminal.
  virtual bool input_is_tty() const = 0;

  /// Returns the columns of the terminal; 80 if unknown.
  virtual int width() const = 0;

  /// Returns the rows of the terminal; 24 if unknown.
  virtual int height() const = 0;

  /// Pipes standard output through this shell command from the next write on. Falls back to plain
  /// output if the command cannot be started.
  virtual void start_pager(const std::string& command) = 0;

  /// Ends the pager, if there is one, after the person leaves it. Returns Code::io if some output
  /// could not be written; a broken pipe is not an error.
  virtual Result<void> finish() = 0;
};

}  // namespace spoor::cli
