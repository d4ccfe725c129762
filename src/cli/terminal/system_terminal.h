#pragma once

#include <string>

#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// The process's own standard input, output and error.
class SystemTerminal final : public Terminal {
 public:
  SystemTerminal();
  ~SystemTerminal() override;
  SystemTerminal(const SystemTerminal&) = delete;
  SystemTerminal& operator=(const SystemTerminal&) = delete;

  bool write(Stream stream, std::string_view bytes) override;
  Result<std::size_t> read(std::span<char> buffer) override;
  bool is_tty(Stream stream) const override;
  bool input_is_tty() const override;
  int width() const override;
  int height() const override;
  void start_pager(const std::string& command) override;
  Result<void> finish() override;

 private:
  void spawn_pager();

  const bool output_is_tty_;  // Cached: callers ask for every line.
  const bool errors_are_tty_;
  std::string wanted_pager_;  // Started by the first write, so that none opens without output.
  int output_;                // Standard output, or the pipe to the pager.
  int pager_pid_ = -1;
  int write_error_ = 0;  // errno of the first failed write, except EPIPE.
};

}  // namespace spoor::cli
