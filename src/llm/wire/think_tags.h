#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::llm::wire {

/// An answer and the reasoning that stood in it between `<think>` and `</think>`.
struct ThinkSplit {
  std::string answer;               ///< without the blocks and trimmed; as it was if there is none
  std::vector<std::string> blocks;  ///< in order, each trimmed, without empty ones
  bool has_tags = false;

  bool operator==(const ThinkSplit&) const = default;
};

/// What becomes of a `</think>` without a `<think>` before it.
enum class LoneEnd {
  thought,  ///< the text before it is a block, whose `<think>` is in the template of the model
  drop,     ///< it is a tag that was left behind: the reasoning came by another way
};

/// Takes every block out of a whole answer. A block without its end runs to the end of the text;
/// tags in fenced code (three or more backticks or tildes) and in inline code of the answer are
/// text; within a block only its end counts. A lone end after other tags is text. Linear in the
/// size of the text.
ThinkSplit split_think_tags(std::string_view text, LoneEnd lone_end = LoneEnd::thought);

/// The same for a text that arrives in pieces, for display: what may become a tag is held back.
/// It cannot know whether inline code that is open will be closed, and takes it for code up to
/// the next blank line; what counts is split_think_tags of the whole.
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

  std::string held_;  // Not looked at yet: may be the begin of a tag.
  std::string out_;   // To be told, all of one kind.
  bool is_thinking_ = false;
  bool passes_space_ = false;  // Blank space at the start of a block, or behind one, is not shown.
  bool has_text_ = false;

  // Where in the answer's code the next character stands.
  char run_of_ = 0;  // '`' or '~': a run of them is under way.
  std::size_t run_ = 0;
  bool run_starts_line_ = false;
  bool is_line_start_ = true;
  bool is_line_blank_ = true;
  char fence_of_ = 0;
  std::size_t fence_ = 0;
  std::size_t inline_code_ = 0;  // Backticks that opened it; 0: none is open.
};

}  // namespace spoor::llm::wire
