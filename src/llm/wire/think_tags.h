#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::llm::wire {

/// An answer, and its reasoning from between `<think>` and `</think>`.
struct ThinkSplit {
  std::string answer;               ///< without the blocks and trimmed; unchanged if there are none
  std::vector<std::string> blocks;  ///< in order, each trimmed, without empty ones
  bool has_tags = false;

  bool operator==(const ThinkSplit&) const = default;
};

/// How to handle a `</think>` without a `<think>` before it.
enum class LoneEnd {
  thought,  ///< the text before it is a block, whose `<think>` is in the model's template
  drop,     ///< ignore the tag: the reasoning was received separately
};

/// Removes every block from a complete answer. A block without an end tag extends to the end of the
/// text; tags in fenced code (three or more backticks or tildes) and in inline code of the answer
/// are text; inside a block only its end tag is recognized. A lone end tag after other tags is
/// text. Linear in the size of the text.
ThinkSplit split_think_tags(std::string_view text, LoneEnd lone_end = LoneEnd::thought);

/// Does the same for a text that arrives in pieces, for display: text that may become a tag is held
/// back. It cannot know whether open inline code will be closed, and treats it as code up to the
/// next blank line; the final result is split_think_tags() of the whole text.
class ThinkFilter {
 public:
  struct Sink {
    std::function<void(std::string_view)> text;
    std::function<void(std::string_view)> reasoning;
  };

  void feed(std::string_view text, const Sink& sink);
  void finish(const Sink& sink);

 private:
  void take(const Sink& sink, bool is_end);
  void take_character(char c);
  void end_run();
  void flush(const Sink& sink);

  std::string held_;  // Not processed yet: may be the beginning of a tag.
  std::string out_;   // To be reported, all of one kind.
  bool is_thinking_ = false;
  bool passes_space_ = false;  // Blank space at the start of a block, or after one, is not shown.
  bool has_text_ = false;

  // The position of the next character in the answer's code.
  char run_of_ = 0;  // '`' or '~' of the current run.
  std::size_t run_ = 0;
  bool run_starts_line_ = false;
  bool is_line_start_ = true;
  bool is_line_blank_ = true;
  char fence_of_ = 0;
  std::size_t fence_ = 0;
  std::size_t inline_code_ = 0;  // The number of backticks that opened it; 0: not open.
};

}  // namespace spoor::llm::wire
