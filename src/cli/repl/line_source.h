#pragma once

#include <optional>
#include <string>

#include "cli/error.h"
#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// A line of input, and where it stands.
struct SourceLine {
  std::string text;   ///< without its end
  std::string place;  ///< `file:line` in a script; empty at a prompt
};

/// Where the lines of a session come from: a person, a pipe or a file.
class LineSource {
 public:
  virtual ~LineSource() = default;

  /// The next line; nothing at the end. `goes_on` when it belongs to the input that
  /// the line before began. Code::interrupted: the person dropped the line.
  virtual Result<std::optional<SourceLine>> next(bool goes_on) = 0;

  /// Does a person type here?
  virtual bool is_person() const { return false; }

  /// An input is complete: what a person may want to see again.
  virtual void remember(const std::string& /*input*/) {}
};

/// Lines of standard input that nobody types.
class PipeSource final : public LineSource {
 public:
  explicit PipeSource(Terminal& terminal) : terminal_(terminal) {}
  Result<std::optional<SourceLine>> next(bool goes_on) override;

 private:
  Terminal& terminal_;
  std::string buffer_;
  std::size_t searched_ = 0;  // No line end before this.
  bool is_over_ = false;
  std::size_t line_ = 0;
};

/// Lines of a file that was read whole.
class TextSource final : public LineSource {
 public:
  TextSource(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  Result<std::optional<SourceLine>> next(bool goes_on) override;

 private:
  std::string name_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

}  // namespace spoor::cli
