#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::import {

/// The calls that answers make in their texts, and the messages that contain the results. For one
/// conversation, whose messages come in order.
///
/// The prompt stays as it was sent to the model: an answer with its text, and a user message. The
/// facts are those of spoor's own runs with text calls (docs/agents.md): on the answer `action`,
/// the name of the tool; on the user turn `mark` observation, `tool`, and `call`, the number of the
/// call in the answer. An attachment of the answer lists the calls with their arguments
/// (llm/text_calls.h); `call_id` on the user turn names one of them. The ids number the calls of
/// the conversation: `text-1`, `text-2`.
class TextActions {
 public:
  /// Adds the calls of `answer`, which have no ids yet. Earlier open calls get no results.
  void call(std::vector<compile::ToolCall> calls, compile::Turn& answer);

  /// Closes all open calls. Called for an answer without calls.
  void close() { open_.clear(); }

  bool has_open() const { return !open_.empty(); }

  /// Makes `turn` the result of the oldest open call. Returns false if no call is open.
  bool answer(compile::Turn& turn);

 private:
  struct Open {
    std::string id;
    std::string tool;
    std::int64_t number = 0;
  };
  std::deque<Open> open_;
  std::int64_t made_ = 0;
};

/// Returns a shell call: `bash` with `{"command":…}`.
compile::ToolCall bash_call(std::string_view command);

/// Returns the calls at the end of a text that are written as
/// `<function=NAME><parameter=KEY>VALUE</parameter></function>`, without ids. The last closing tag
/// may be missing, because models stop there. Values are texts; one line break after the opening
/// and one before the closing tag is not part of them. Empty if anything else follows the calls.
///
/// Source: openhands/llm/fn_call_converter.py.
std::vector<compile::ToolCall> function_tag_calls(std::string_view text);

/// Returns the only fenced block in the languages `bash` and `mswea_bash_command` in a text;
/// nullopt if there are none or several, since nothing is run then.
///
/// Source: `action_regex` in src/minisweagent/agents/default.py and models/utils/actions_text.py.
std::optional<std::string> only_bash_block(std::string_view text);

/// Returns true if a user message is the result of a call in tags (`EXECUTION RESULT of [NAME]:`).
bool is_tag_result(std::string_view text);

/// Returns true if a user message is the result of a command in a fenced block.
bool is_block_result(std::string_view text);

}  // namespace spoor::import
