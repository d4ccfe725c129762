#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/timestamp.h"
#include "import/thread.h"

namespace spoor::import::claude_code {

/// The content of one line of a session file, as far as the importer needs it. Borrows the Document
/// it was read from.
///
/// A *turn record* is of type `user` or `assistant` and has a message with content; or it is an
/// attachment with a prompt that the user typed while the model was at work (`queued_command`),
/// which no other record repeats; or a call or a result in a record of its own. Every other record
/// (progress, snapshots, titles, hooks) is not a turn, but may be between two turns in the chain of
/// parents.
struct Record {
  json::Value root;
  json::Value message;
  json::Value content;  ///< of the message, or the queued prompt: a string, or an array of blocks

  std::string type;   ///< empty if there is none
  std::string label;  ///< type, or type/subtype: for counting. Printable ASCII.
  std::string uuid;

  /// The record names a parent (if null, `parent` is empty). Old records do not have the key at
  /// all.
  bool has_parent = false;
  std::string parent;

  std::string session;
  std::string agent;  ///< the sidechain's agentId, or in a stream the id of its call; may be empty
  std::string message_id;
  std::optional<Timestamp> time;

  bool is_turn = false;
  bool is_queued = false;       ///< the turn is a queued prompt
  bool is_bare_call = false;    ///< `{"type":"tool_use","name","input"}`, without a message
  bool is_bare_result = false;  ///< `{"type":"tool_result","output"}` of the call before it
  bool is_sidechain = false;
  bool is_streamed = false;  ///< printed by `claude -p --output-format stream-json`
  bool is_injected = false;  ///< written by the program, not by the user
  /// A message from the program to the user that a request failed. It is not sent to a model.
  bool is_api_error = false;
  bool is_compact_summary = false;  ///< a turn that replaces the compacted turns
  bool is_compact_boundary = false;

  Boundary boundary;  ///< of a compact boundary

  /// Returns the key of a tool's structured result.
  std::string_view result_key() const { return is_streamed ? "tool_use_result" : "toolUseResult"; }

  bool is_assistant() const { return type == "assistant"; }
};

/// Reads an object. Anything may be missing or of the wrong type.
Record read_record(const json::Value& root);

/// Returns true if Claude Code is known to write records of this type.
bool is_known_type(std::string_view type);

/// Returns true if this object looks like a line of a Claude Code session.
bool is_claude_code(const Record& record);

/// Returns the keys that occur twice in the record, its message or one of its blocks: the last of
/// each counts. Usually empty.
std::vector<std::string> duplicate_keys(const Record& record);

/// Returns true if `root` looks like a record and names its session. Required of a record after a
/// damaged one on the same line.
bool is_sound_record(const json::Value& root);

/// Returns duplicate_keys() of the record in `root`.
std::vector<std::string> duplicate_record_keys(const json::Value& root);

}  // namespace spoor::import::claude_code
