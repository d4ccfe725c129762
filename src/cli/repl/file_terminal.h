#pragma once

#include <memory>
#include <string>

#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// A Terminal whose standard output is a file: `.once` uses it for one command. All other calls use
/// the real terminal.
class FileTerminal final : public Terminal {
 public:
  /// Creates the file, or empties it. Returns Code::io. `terminal` must outlive the result.
  static Result<std::unique_ptr<FileTerminal>> create(const std::string& path, Terminal& terminal);
  ~FileTerminal() override;
  FileTerminal(const FileTerminal&) = delete;
  FileTerminal& operator=(const FileTerminal&) = delete;

  bool write(Stream stream, std::string_view bytes) override;
  Result<std::size_t> read(std::span<char> buffer) override { return terminal_.read(buffer); }
  bool is_tty(Stream stream) const override {
    return stream == Stream::err && terminal_.is_tty(stream);
  }
  bool input_is_tty() const override { return terminal_.input_is_tty(); }
  int width() const override { return terminal_.width(); }
  int height() const override { return terminal_.height(); }
  void start_pager(const std::string& /*command*/) override {}
  Result<void> finish() override;

 private:
  FileTerminal(int fd, std::string path, Terminal& terminal)
      : fd_(fd), path_(std::move(path)), terminal_(terminal) {}

  int fd_;
  std::string path_;
  Terminal& terminal_;
  int write_error_ = 0;  // errno of the first write that failed.
};

}  // namespace spoor::cli
