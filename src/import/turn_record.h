#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "compile/turn.h"
#include "import/taken.h"

namespace spoor::import {

/// Parses a record that was read before and kept as text. The result borrows `record`.
json::Document read_again(const std::string& record);

/// Parses records that were kept as texts and passes each to `read`.
Result<void> read_each(const std::vector<std::string>& records,
                       const std::function<Result<void>(const json::Value& record)>& read);

/// Returns a string's text, or the bytes of any other value.
std::string text_or_bytes(const json::Value& value);

void add_tool_call(compile::Turn& turn, compile::ToolCall call);

/// Takes and returns the call that `object` has under these keys. Arguments that are not a string
/// are returned as their bytes.
compile::ToolCall take_call(const json::Value& object, std::string_view id, std::string_view name,
                            std::string_view arguments, Taken& taken);

/// Takes a command's exit code as the fact `exit_code` of its result, the same fact as spoor's own
/// tools write. A value that is not an integer, or that differs from a known code, is not taken.
void take_exit_code(const json::Value& value, compile::Turn& result, Taken& taken);

/// Adds the facts `lines_added` and `lines_removed` to an edit's result if the source counted the
/// lines. spoor's own tools write the same facts.
void add_line_counts(std::optional<std::int64_t> added, std::optional<std::int64_t> removed,
                     compile::Turn& result);

/// Makes the turns of one record of a foreign session: their contents, their facts, and an
/// attachment of the last turn with everything else, one JSON object of exact bytes.
///
/// There are three kinds of facts: those of every turn of the record; those of the model's turns
/// (its name, the message's); and those of the whole message (usage, finish reason), which are
/// added to the last turn that is not a tool result. Meta has room for 4 KiB: a fact that does not
/// fit stays with the rest, and so do facts of the model in a record without a turn of the model.
/// If two facts have one key, the first counts; the other's value stays with the rest. No fact is
/// made of an empty value, NaN or Infinity.
class TurnRecord {
 public:
  /// `source` is the importer's name.
  TurnRecord(const json::Value& root, std::string_view source);

  const json::Value& root() const { return root_; }

  /// Returns the values that the turns contain.
  Taken& taken() { return taken_; }

  /// Starts a turn. The reference is valid until the next one starts.
  compile::Turn& start(compile::Type type);

  /// Returns the turn that consecutive blocks share: the last one, unless another was started
  /// since; else a new one of `type`.
  compile::Turn& run(compile::Type type);

  /// Ends the run: the next block starts a new turn.
  void end_run() { in_run_ = false; }

  /// Continues the run: the next block belongs to the last turn.
  void resume_run() { in_run_ = true; }

  /// Starts a reasoning and takes its text.
  compile::Turn& start_reasoning(const json::Value& text, std::string_view format);

  /// Starts the result of a call. Takes the members of `object` with these keys; an empty key is
  /// ignored.
  compile::Turn& start_result(const json::Value& object, std::string_view call_id,
                              std::string_view name = {}, std::string_view is_error = {});

  bool has_turns() const { return !turns_.empty(); }
  std::vector<compile::Turn>& turns() { return turns_; }

  /// Takes a value as a fact: of every turn, of the model's turns, or of the whole message.
  void fact(const fact::Key& key, const json::Value& value);
  void made_fact(const fact::Key& key, const json::Value& value);
  void last_fact(const fact::Key& key, const json::Value& value);

  /// Takes the number `member` of `object` as a fact: an object with this member only.
  void last_fact_member(const fact::Key& key, const json::Value& object, std::string_view member);

  /// Takes a value as a fact of the last turn so far, whatever its type.
  void turn_fact(const fact::Key& key, const json::Value& value) {
    add(turns_.back().facts, key, value);
  }

  /// Adds a fact about the whole message from another record of the source.
  void last_fact_told(const fact::Key& key, const std::string& json);

  /// Adds a fact whose text is not a value of the record.
  void fact_text(const fact::Key& key, std::string_view value);
  void made_fact_text(const fact::Key& key, std::string_view value);

  /// Adds a fact with the value `true`.
  void flag(const fact::Key& key);

  /// Sets the record's time, see time_of(), and takes it if it is valid. The first one counts.
  void set_time(const json::Value& value);
  std::optional<Timestamp> time() const { return time_; }

  /// Sets the model, a fact and the author: `told`, or `otherwise` if that is empty.
  void set_model(const json::Value& told, const std::string& otherwise = {});

  /// Sets the author of turns that are not tool results and have none yet. Ignores an invalid
  /// author.
  void set_author(std::string_view author);

  /// Reserves `bytes` of meta for facts that the caller adds to single turns.
  void reserve(std::size_t bytes) { size_ += bytes; }

  /// Returns the turns with their facts; nothing can be added after this. Counts attached values by
  /// their keys, and those in a key of `nested` (words) by their inner keys.
  std::vector<compile::Turn> finish(LossReport& report, std::string_view nested = {});

 private:
  bool write(compile::Facts& facts, const fact::Key& key, const json::Value& value);
  bool add(compile::Facts& facts, const fact::Key& key, const json::Value& value);
  bool has_room(const compile::Facts& facts, const fact::Key& key, std::size_t value);

  json::Value root_;
  Taken taken_;
  std::vector<compile::Turn> turns_;
  bool in_run_ = false;
  compile::Facts all_;
  compile::Facts made_;
  compile::Facts last_;
  std::vector<json::Value> made_of_;  // The values of the facts in made_.
  std::size_t size_ = 2;              // The size of meta when written.
  std::optional<Timestamp> time_;
  std::string author_;
};

/// Returns the time of a value: RFC 3339 (UTC if it has no offset), or seconds or milliseconds
/// since 1970. nullopt if it is none of these.
std::optional<Timestamp> time_of(const json::Value& value);

}  // namespace spoor::import
