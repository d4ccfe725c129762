#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/claude_code/record.h"
#include "import/thread.h"

namespace spoor::import::claude_code {

// Records that wait for others, and prompts for comparison with records.

/// Records whose parent or call is not in the file yet. Claude Code writes a result before its call
/// if the tool is faster than the writer. Bounded: 64 records or 16 MiB.
class LateParents {
 public:
  /// Returns true if `record` names a parent, or answers a call, that `thread` does not know.
  static bool is_early(const Record& record, const Thread& thread);

  void hold(const Record& record);
  bool is_empty() const { return held_.empty(); }
  bool is_full() const;

  /// Returns true if all are of a later time than `record`: it may be what they wait for, since
  /// Claude Code writes a quick answer before the question.
  bool are_after(const Record& record) const;

  /// Removes and returns the first record whose parent and calls `thread` knows now. Empty if there
  /// is none.
  std::string take_ready(const Thread& thread);

  /// Removes and returns all records, in file order.
  std::vector<std::string> take_all();

 private:
  struct Held {
    std::string bytes;
    std::string parent;
    std::vector<std::string> calls;
    std::optional<Timestamp> time;
  };
  static bool is_ready(const Held& held, const Thread& thread);

  std::vector<Held> held_;
  std::size_t bytes_ = 0;
};

/// Prompts that the user typed while the model was at work, removed from the queue. A
/// `queue-operation` `remove` is their delivery, unless another record contains the prompt: a
/// `queued_command` before or after it, or a prompt of the user's own. So a `remove` waits for the
/// next turn.
class QueuedPrompts {
 public:
  /// Called with every record, in file order.
  void see(const Record& record);

  /// Returns true if `record` removes a prompt that may have been delivered: the record gives that
  /// reason, or its program writes neither reasons nor `queued_command`. Returns false if an
  /// earlier record contained the prompt.
  bool may_deliver(const Record& record);

  void hold(const Record& record);
  bool is_empty() const { return held_.empty(); }

  /// Removes and returns a held record with the prompt of `turn`; empty if there is none.
  std::string take_told(const Record& turn);

  /// Removes and returns all records, in file order.
  std::vector<std::string> take_all();

 private:
  struct Held {
    std::string prompt;
    std::string bytes;
  };
  std::deque<std::string> told_;  // Prompts of `queued_command` without a `remove` so far.
  std::vector<Held> held_;
  std::string version_;
  bool has_attachments_ = false;
};

/// Makes a turn of a record that removes a prompt from the queue.
void deliver(Record& record);

/// The beginnings of the user's last prompts, for comparison with `last-prompt` records. Such a
/// record repeats a prompt on one line, cut off after some length.
class RecentPrompts {
 public:
  void add(std::string_view prompt);

  /// Returns true if `line` is one of the prompts, or the beginning of one followed by an ellipsis.
  /// Any white space counts as one space.
  bool repeats(std::string_view line) const;

 private:
  static constexpr std::size_t kPrompts = 16;
  static constexpr std::size_t kLength = 2048;  // Bytes kept of each.
  struct Prompt {
    std::string text;
    bool is_whole = false;
  };
  std::deque<Prompt> prompts_;
};

}  // namespace spoor::import::claude_code
