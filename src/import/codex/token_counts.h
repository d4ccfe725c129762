#pragma once

#include <string>

#include "base/json/reader.h"

namespace spoor::import::codex {

/// The usage of one answer and the id of its response, as the source's JSON. Empty: not known.
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
  /// Called for input from the user or the program: an earlier count belongs to no later answer.
  void begin_input();

  /// Called for the first item of an answer. A count without an answer so far belongs to it.
  void begin_answer();

  /// Called if the open answer was cut off: it may never be counted.
  void abandon_answer() { awaits_count_ = false; }

  /// Returns false after two answers in a row without a count: then no answer waits for its count.
  bool is_counting() const { return missed_ < 2; }

  /// Adds the `info` of a `token_count` event. `is_open`: an answer is not written yet. Returns
  /// true if that answer ends here. A count with the same total as the last one is a repetition,
  /// written when the account's limits change.
  bool add(const json::Value& info, bool is_open);

  /// Does the same for a `token_usage_record`.
  bool add_record(const json::Value& record, bool is_open);

  /// Removes and returns the count of the answer that ends.
  Count take_answer();

  /// Returns true if counts come in `token_usage_record`s, which follow the items that they count.
  bool has_records() const { return has_records_; }

  /// Removes and returns a count without an answer: a compaction's, or an empty answer's.
  Count take_spare();

 private:
  bool add(Count count, bool is_open);
  void close_answer();

  Count answer_;
  Count spare_;
  std::string total_;          // The last count's.
  bool has_records_ = false;   // `token_count` repeats them.
  bool awaits_count_ = false;  // An answer began, and no count has come.
  int missed_ = 0;             // Answers without a count since the last count.
};

}  // namespace spoor::import::codex
