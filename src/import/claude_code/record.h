#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/timestamp.h"
#include "import/thread.h"

namespace spoor::import::claude_code {

/// What one line of a session file says, as far as the importer must understand
/// it. Borrows the Document it was read from.
///
/// A *turn record* is of type `user` or `assistant` and has a message with
/// content; or it is an attachment with what the user typed while the model was
/// at work (`queued_command`), which no other record repeats; or a call or a result
/// in a record of its own. Everything else (progress, snapshots,
/// titles, hooks) is a record that is no turn, but may stand between two turns in the chain of
/// parents.
struct Record {
  json::Value root;
  json::Value message;
  json::Value content;  ///< of the message, or the queued prompt: a string, or an array of blocks

  std::string type;   ///< empty when there is none
  std::string label;  ///< type, or type/subtype: for counting. Printable ASCII.
  std::string uuid;

  /// The record names a parent (perhaps null: `parent` is empty then). Old records
  /// have no such key at all.
  bool has_parent = false;
  std::string parent;

  std::string session;
  std::string agent;  ///< of a sidechain that has one: agentId, or in a stream the call's id
  std::string message_id;
  std::optional<Timestamp> time;

  bool is_turn = false;
  bool is_queued = false;       ///< the turn is a queued prompt
  bool is_bare_call = false;    ///< `{"type":"tool_use","name","input"}`, without a message
  bool is_bare_result = false;  ///< `{"type":"tool_result","output"}` of the call before it
  bool is_sidechain = false;
  bool is_streamed = false;  ///< printed by `claude -p --output-format stream-json`
  bool is_injected = false;  ///< written by the program, not by the user
  /// The program tells the person that a request failed. No model is sent that.
  bool is_api_error = false;
  bool is_compact_summary = false;  ///< a turn that stands for what was compacted
  bool is_compact_boundary = false;

  Boundary boundary;  ///< of a compact boundary

  /// Where the structured result of a tool is.
  std::string_view result_key() const { return is_streamed ? "tool_use_result" : "toolUseResult"; }

  bool is_assistant() const { return type == "assistant"; }
};

/// Reads an object. Anything may be missing or of the wrong type.
Record read_record(const json::Value& root);

/// Is `type` a record type that Claude Code is known to write?
bool is_known_type(std::string_view type);

/// Does this object look like a line of a Claude Code session?
bool is_claude_code(const Record& record);

/// Keys that occur twice in the record, its message or one of its blocks: the
/// last of each counts. Empty as a rule.
std::vector<std::string> duplicate_keys(const Record& record);

/// What a line must be to be taken for a record behind a damaged one: it names its session.
bool is_sound_record(const json::Value& root);

/// duplicate_keys() of what `root` says.
std::vector<std::string> duplicate_record_keys(const json::Value& root);

}  // namespace spoor::import::claude_code
