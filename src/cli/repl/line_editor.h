#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/error.h"
#include "cli/terminal/style.h"

namespace spoor::cli {

/// A piece of a prompt.
struct PromptPart {
  Style style = Style::plain;
  std::string text;
};

/// The result of the Tab key on a line.
struct Completion {
  std::size_t begin = 0;  ///< the bytes from here to the cursor are replaced
  std::string text;       ///< their replacement; the same bytes if there is nothing to add
  std::string listing;    ///< shown below the line, safe for a terminal; may be empty
};

/// Reads lines typed by a person, with the features of libedit: keys of Emacs (or of ~/.editrc),
/// history, search. Changes the terminal only while a line is read. A pasted text is one line of
/// input, including its line ends (bracketed paste). Text is UTF-8 in every locale; invalid bytes
/// are returned unchanged.
///
/// One per process, for one thread. Needs standard input and output to be a terminal.
class LineEditor {
 public:
  /// Takes the line and the cursor's byte offset in it.
  using Completer = std::function<Completion(std::string_view line, std::size_t cursor)>;

  /// Returns Code::unavailable if the terminal cannot be used.
  static Result<std::unique_ptr<LineEditor>> open(Completer completer, bool color);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Ends {
    line,         ///< Enter
    interrupted,  ///< Ctrl-C: the line was dropped
    end,          ///< Ctrl-D on an empty line, or the terminal was closed
  };
  struct Typed {
    Ends ends = Ends::end;
    std::string text;  ///< without the last line end
  };

  /// Prints `prompt` and reads a line after it.
  Typed read(const std::vector<PromptPart>& prompt);

  /// Adds a line to the history of the up arrow.
  void remember(const std::string& line);

 private:
  class Impl;
  explicit LineEditor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::cli
