#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/error.h"

namespace spoor::cli {

/// The two ways out: results, and everything said about them.
enum class Stream : unsigned char { out, err };

/// What the program is attached to: standard input, output and error. A port, so
/// that commands run in tests, in the interactive session and in pipes alike.
/// Not safe to share between threads.
class Terminal {
 public:
  virtual ~Terminal() = default;

  /// Writes all of `bytes` as they are. False once nobody reads any more (a
  /// broken pipe) or the disk is full; the caller then stops, and finish() tells
  /// which it was.
  virtual bool write(Stream stream, std::string_view bytes) = 0;

  /// Fills the front of `buffer` from standard input; 0 at its end. Code::io.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;

  /// Is a person looking at this stream? With a pager, still yes.
  virtual bool is_tty(Stream stream) const = 0;

  /// Does a person type into standard input?
  virtual bool input_is_tty() const = 0;

  /// Columns of the terminal; 80 where it does not say.
  virtual int width() const = 0;

  /// Rows of the terminal; 24 where it does not say.
  virtual int height() const = 0;

  /// From the next write on, standard output goes through this shell command.
  /// Falls back to plain output when it cannot be started.
  virtual void start_pager(const std::string& command) = 0;

  /// Ends the pager, if there is one, and waits for the person to leave it.
  /// Code::io when some output could not be written; a broken pipe is no error.
  virtual Result<void> finish() = 0;
};

}  // namespace spoor::cli
