#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace spoor::import::claude_code {

/// How the last few prompts of the user began: what a `last-prompt` record is
/// compared with. It repeats a prompt on one line, cut off after some length.
class RecentPrompts {
 public:
  void add(std::string_view prompt);

  /// Is `line` one of the prompts, or its beginning followed by an ellipsis?
  /// White space counts as one space.
  bool repeats(std::string_view line) const;

 private:
  static constexpr std::size_t kPrompts = 16;
  static constexpr std::size_t kLength = 2048;  // Bytes that are kept of each.
  struct Prompt {
    std::string text;
    bool is_whole = false;
  };
  std::deque<Prompt> prompts_;
};

}  // namespace spoor::import::claude_code
