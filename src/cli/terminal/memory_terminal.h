#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// A Terminal in memory, for tests and for output that a program takes. All its state is public.
class MemoryTerminal final : public Terminal {
 public:
  std::string input;   ///< the unread rest of standard input
  std::string output;  ///< everything written to standard output
  std::string errors;  ///< everything written to standard error
  std::string pager;   ///< the pager command that was started, if any
  bool tty = false;    ///< all streams at once
  int columns = 80;
  int rows = 24;
  bool reader_left = false;  ///< standard output is a broken pipe

  bool write(Stream stream, std::string_view bytes) override {
    if (stream == Stream::out && reader_left) return false;
    (stream == Stream::out ? output : errors).append(bytes);
    return true;
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), input.size());
    std::copy_n(input.begin(), count, buffer.begin());
    input.erase(0, count);
    return count;
  }

  bool is_tty(Stream /*stream*/) const override { return tty; }
  bool input_is_tty() const override { return tty; }
  int width() const override { return columns; }
  int height() const override { return rows; }
  void start_pager(const std::string& command) override { pager = command; }
  Result<void> finish() override { return {}; }
};

}  // namespace spoor::cli
