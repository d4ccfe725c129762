#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "import/claude_code/record.h"

namespace spoor::import::claude_code {

/// Prompts that the user typed while the model was at work, as they leave the queue. A
/// `queue-operation` `remove` is their delivery, unless another record tells it: a `queued_command`
/// before or after it, or a prompt of the user's own. So a `remove` waits for the next turn.
class QueuedPrompts {
 public:
  /// Sees every record, in file order.
  void see(const Record& record);

  /// Returns true if `record` removes a prompt that may have been delivered: it says so, or its
  /// program writes neither reasons nor `queued_command`. False if a record before told it.
  bool may_deliver(const Record& record);

  void hold(const Record& record);
  bool is_empty() const { return held_.empty(); }

  /// Removes and returns a held record that `turn` tells; empty if there is none.
  std::string take_told(const Record& turn);

  /// Removes and returns all records, in file order.
  std::vector<std::string> take_all();

 private:
  struct Held {
    std::string prompt;
    std::string bytes;
  };
  std::deque<std::string> told_;  // Prompts of `queued_command` that no `remove` followed yet.
  std::vector<Held> held_;
  std::string version_;
  bool has_attachments_ = false;
};

/// Makes a turn of a record that removes a prompt from the queue.
void deliver(Record& record);

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
