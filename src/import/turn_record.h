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

/// A record that was read before and kept as text, which the answer borrows.
json::Document read_again(const std::string& record);

/// Hands records that were kept as texts to `read`, one after the other.
Result<void> read_each(const std::vector<std::string>& records,
                       const std::function<Result<void>(const json::Value& record)>& read);

/// What a value says: a text itself, or the bytes of anything else.
std::string text_or_bytes(const json::Value& value);

/// Adds a call to an answer.
void add_tool_call(compile::Turn& turn, compile::ToolCall call);

/// The call that `object` has under these keys, which it takes. Arguments that are not a text are
/// their bytes.
compile::ToolCall take_call(const json::Value& object, std::string_view id, std::string_view name,
                            std::string_view arguments, Taken& taken);

/// Takes what a command ended with as the fact `exit_code` of its result, which spoor's own tools
/// write too. A value that is no integer stays where it is, and one that differs from a code that
/// is known already.
void take_exit_code(const json::Value& value, compile::Turn& result, Taken& taken);

/// Adds how many lines an edit added and removed, where the source counted them, as the facts
/// `lines_added` and `lines_removed` of its result, which spoor's own tools write too.
void add_line_counts(std::optional<std::int64_t> added, std::optional<std::int64_t> removed,
                     compile::Turn& result);

/// Makes the turns of one record of a foreign session: what the turns say, the facts that go into
/// meta, and all else, which is attached to the last turn as one JSON object of exact bytes.
///
/// Facts come in three kinds: those that every turn of the record carries, those of what the model
/// made (its name, the message's), and those about the whole message (usage, how it ended), which
/// the last turn that is no result carries. Meta has room for 4 KiB: a fact
/// for which there is none stays with the rest, as does what the model made of a record in which it
/// made nothing. Of two facts of one key the first counts; the other's value stays with the rest.
/// Of a number that counts for nothing or a text that says nothing no fact is made.
class TurnRecord {
 public:
  /// `source`: the importer's name.
  TurnRecord(const json::Value& root, std::string_view source);

  const json::Value& root() const { return root_; }

  /// What the turns hold.
  Taken& taken() { return taken_; }

  /// Begins a turn. The reference is good until the next one begins.
  compile::Turn& start(compile::Type type);

  /// The turn that blocks in a row share: the last one, unless another was begun since, or a new
  /// one of `type`.
  compile::Turn& run(compile::Type type);

  /// What comes next shares no turn with what came before.
  void end_run() { in_run_ = false; }

  /// What comes next belongs to the last turn.
  void resume_run() { in_run_ = true; }

  /// Begins a reasoning, whose text is taken.
  compile::Turn& start_reasoning(const json::Value& text, std::string_view format);

  /// Begins the result of a call. Takes what `object` has under these keys; of an empty key
  /// nothing.
  compile::Turn& start_result(const json::Value& object, std::string_view call_id,
                              std::string_view name = {}, std::string_view is_error = {});

  bool has_turns() const { return !turns_.empty(); }
  std::vector<compile::Turn>& turns() { return turns_; }

  /// Takes a value of the record as a fact.
  void fact(const fact::Key& key, const json::Value& value);
  void made_fact(const fact::Key& key, const json::Value& value);
  void last_fact(const fact::Key& key, const json::Value& value);

  /// Takes a member of `object` that is a number, as a fact that is an object with this member
  /// alone.
  void last_fact_member(const fact::Key& key, const json::Value& object, std::string_view member);

  /// Takes a value as a fact of the last turn there is, whatever it is.
  void turn_fact(const fact::Key& key, const json::Value& value) {
    add(turns_.back().facts, key, value);
  }

  /// Adds a fact about the whole message that another record of the source states.
  void last_fact_told(const fact::Key& key, const std::string& json);

  /// A fact in other words than the record's.
  void fact_text(const fact::Key& key, std::string_view value);
  void made_fact_text(const fact::Key& key, std::string_view value);

  /// A fact that is so: `true`.
  void flag(const fact::Key& key);

  /// When the record was made, see time_of(). Taken if it is a time; the first one counts.
  void set_time(const json::Value& value);
  std::optional<Timestamp> time() const { return time_; }

  /// The model that made it, a fact and the author: `told`, or `otherwise` where that says nothing.
  void set_model(const json::Value& told, const std::string& otherwise = {});

  /// Who wrote what is no result of a tool and has no author yet. Passed over when it cannot be an
  /// author.
  void set_author(std::string_view author);

  /// Keeps so many bytes of meta free for facts that the caller gives single turns.
  void reserve(std::size_t bytes) { size_ += bytes; }

  /// The turns with their facts; nothing can be added then. What is attached is counted by its key;
  /// of `nested` (words), by the keys within.
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
  std::vector<json::Value> made_of_;  // What the facts of made_ were.
  std::size_t size_ = 2;              // Of meta as it will be written.
  std::optional<Timestamp> time_;
  std::string author_;
};

/// The moment that a value names: RFC 3339 (UTC where it names no offset), or seconds or
/// milliseconds since 1970. Nothing when it is none of these.
std::optional<Timestamp> time_of(const json::Value& value);

}  // namespace spoor::import
