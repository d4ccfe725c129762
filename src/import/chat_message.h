#pragma once

#include <string>
#include <string_view>

#include "import/turn_record.h"

namespace spoor::import {

/// Options for reading a chat message.
struct ChatStyle {
  /// The message is exactly as a provider sent it: the model's items keep their bytes in `raw`.
  bool is_provider_item = false;

  /// The provider's items are the message's blocks (Messages API), not the whole message.
  bool is_in_blocks = false;

  /// The provider of the items, a fact of the model's turns. May be empty.
  std::string_view provider = {};

  /// The `format` of a reasoning that is a member of the message.
  std::string_view reasoning_format = "reasoning_content";
};

/// Returns the turn type of a role; `user` for an unknown role.
compile::Type type_of_role(std::string_view role);

/// Returns true if `message` is an object with a role, and with content or calls.
bool is_chat_message(const json::Value& message);

/// Returns true if `message` is a complete answer of the Anthropic Messages API.
bool is_anthropic_message(const json::Value& message);

/// Returns true if any of the messages has a block that only Anthropic's API has.
bool has_anthropic_blocks(const json::Value& messages);

/// Moves the reasoning between `<think>` and `</think>` from the text of an answer into a turn of
/// its own. The `<think>` may be missing, because templates write it. Returns false if the text has
/// no such tags. The caller keeps the original text in `raw`.
bool take_tagged_thoughts(std::string& text, TurnRecord& made);

/// Makes the turns of one message of a chat API: OpenAI's (`tool_calls`, `tool_call_id`, parts),
/// Anthropic's (blocks: thinking, tool_use, tool_result), and their many relatives
/// (`reasoning_content`, `reasoning`; calls with `arguments` as an object). The turns come in this
/// order: the reasoning, the text with its calls, the results.
///
/// Sources: platform.openai.com/docs/api-reference/chat, docs.anthropic.com/en/api/messages.
void add_chat_turns(const json::Value& message, const ChatStyle& style, TurnRecord& made);

/// Makes the turns of content without a role: the blocks or parts of a turn of `type`.
void add_chat_content(const json::Value& content, compile::Type type, TurnRecord& made);

/// Returns true if `value` is a call or a result that is an object of its own among the messages,
/// with a `type` and the name of its tool, as in logs of programs.
bool is_lone_turn(const json::Value& value);

/// Makes the turn of such a call or result. A call without an id gets none here.
void add_lone_turn(const json::Value& value, TurnRecord& made);

}  // namespace spoor::import
