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

/// What the Tab key makes of a line.
struct Completion {
  std::size_t begin = 0;  ///< the bytes from here to the cursor are replaced
  std::string text;       ///< by these; what stands there when there is nothing to add
  std::string listing;    ///< shown below the line, safe for a terminal; may be empty
};

/// Lines typed by a person, with all that libedit gives: keys of Emacs (or what
/// ~/.editrc says), history, search. The terminal is changed only while a line is
/// read. Text pasted into the line stays one line of input, its line ends included
/// (bracketed paste). Text is UTF-8 whatever the locale says, and a byte that is none
/// is handed out as it came.
///
/// One per process, for one thread. Needs standard input and output to be a terminal.
class LineEditor {
 public:
  /// Given the line and the cursor's byte offset in it.
  using Completer = std::function<Completion(std::string_view line, std::size_t cursor)>;

  /// Code::unavailable when the terminal cannot be used.
  static Result<std::unique_ptr<LineEditor>> open(Completer completer, bool color);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Ends {
    line,         ///< Enter
    interrupted,  ///< Ctrl-C: the line was dropped
    end,          ///< Ctrl-D on an empty line, or the terminal has gone
  };
  struct Typed {
    Ends ends = Ends::end;
    std::string text;  ///< without the last line end
  };

  /// Reads a line behind this prompt.
  Typed read(const std::vector<PromptPart>& prompt);

  /// Makes a line reachable by the up arrow.
  void remember(const std::string& line);

 private:
  class Impl;
  explicit LineEditor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::cli
