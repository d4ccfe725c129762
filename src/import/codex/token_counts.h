#pragma once

#include <string>

#include "base/json/reader.h"

namespace spoor::import::codex {

/// What one answer took, and its response's id, as the source's JSON. Empty: not known.
struct Count {
  std::string usage;
  std::string response_id;
};

/// Assigns the token counts of a rollout to its answers. Codex counts each answer after the results
/// of its calls: in a `token_count` event, and since 0.147 in a `token_usage_record` before it. In
/// the rollouts of autumn 2025 the count precedes the items of its answer.
///
/// Source: github.com/openai/codex, codex-rs/protocol/src/protocol.rs (`TokenCountEvent`).
class TokenCounts {
 public:
  /// The user or the program said something: a count from before belongs to no later answer.
  void begin_input();

  /// The first item of an answer. A count that no other answer took is its own.
  void begin_answer();

  /// The open answer was cut off: it may never be counted.
  void abandon_answer() { awaits_count_ = false; }

  /// False after two answers in a row that were never counted: then no answer waits for its count.
  bool is_counting() const { return missed_ < 2; }

  /// A `token_count` event's `info`. Returns true if the open answer ends here; `is_open` tells if
  /// there is one that was not written yet. A count whose total was counted before is a repetition,
  /// written when the account's limits change.
  bool add(const json::Value& info, bool is_open);

  /// The same for a `token_usage_record`.
  bool add_record(const json::Value& record, bool is_open);

  /// Returns the count of the answer that ends, once.
  Count take_answer();

  /// True if counts come in `token_usage_record`s, which follow what they count.
  bool has_records() const { return has_records_; }

  /// Returns a count that belongs to no answer, once: a compaction's, or an empty answer's.
  Count take_spare();

 private:
  bool add(Count count, bool is_open);
  void close_answer();

  Count answer_;
  Count spare_;
  std::string total_;          // Of the last count.
  bool has_records_ = false;   // `token_count` repeats them.
  bool awaits_count_ = false;  // An answer began, and no count has come.
  int missed_ = 0;             // Answers since the last count that had none.
};

}  // namespace spoor::import::codex
