#pragma once

#include <optional>
#include <string>

#include "cli/error.h"
#include "cli/terminal/terminal.h"

namespace spoor::cli {

/// A line of input, and its place.
struct SourceLine {
  std::string text;   ///< without its end
  std::string place;  ///< `file:line` in a script; empty at a prompt
};

/// A source of a session's lines: a person, a pipe or a file.
class LineSource {
 public:
  virtual ~LineSource() = default;

  /// Returns the next line, or nullopt at the end. `goes_on` is true if the line continues the
  /// input before it. Returns Code::interrupted if the person dropped the line.
  virtual Result<std::optional<SourceLine>> next(bool goes_on) = 0;

  /// Returns true if a person types the lines.
  virtual bool is_person() const { return false; }

  /// Adds a complete input to the history.
  virtual void remember(const std::string& /*input*/) {}
};

/// Lines of standard input that is not a terminal.
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

/// Lines of a file that has been read completely.
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
