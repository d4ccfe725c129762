#pragma once

#include <string>
#include <string_view>

#include "import/turn_record.h"

namespace spoor::import {

/// What a chat message is read as.
struct ChatStyle {
  /// The message stands as a provider sent it: what the model made keeps its exact bytes in `raw`.
  bool is_provider_item = false;

  /// Its items are the blocks of a message, as the Messages API has them, and not the message.
  bool is_in_blocks = false;

  /// The provider that its items are of: a fact of what the model made. May be empty.
  std::string_view provider = {};

  /// `format` of a reasoning that stands in a member of the message.
  std::string_view reasoning_format = "reasoning_content";
};

/// The type of a turn of this role; of one that is not known, the user's.
compile::Type type_of_role(std::string_view role);

/// Is this a message: an object with a role, and with content or calls?
bool is_chat_message(const json::Value& message);

/// Is this an answer of Anthropic's Messages API, as it stands alone?
bool is_anthropic_message(const json::Value& message);

/// Has one of these messages a block that only Anthropic's have?
bool has_anthropic_blocks(const json::Value& messages);

/// Takes the reasoning between `<think>` and `</think>` out of the text of an answer, and makes a
/// turn of it; the `<think>` may be missing, because templates write it. Returns false if the text
/// has no such tags. The caller keeps the text as it was in `raw`.
bool take_tagged_thoughts(std::string& text, TurnRecord& made);

/// Makes the turns of one message as chat APIs write it: OpenAI's (`tool_calls`, `tool_call_id`,
/// parts), Anthropic's (blocks: thinking, tool_use, tool_result), and their many relatives
/// (`reasoning_content`, `reasoning`; calls with `arguments` as an object). A message is, in this
/// order: its reasoning, what it says with its calls, the results it holds.
///
/// Sources: platform.openai.com/docs/api-reference/chat, docs.anthropic.com/en/api/messages.
void add_chat_turns(const json::Value& message, const ChatStyle& style, TurnRecord& made);

/// The same of content whose role is told elsewhere: the blocks or parts of a turn of `type`.
void add_chat_content(const json::Value& content, compile::Type type, TurnRecord& made);

/// Is this a call or a result that stands among messages as an object of its own, with a `type` and
/// the name of its tool, as logs of programs have it?
bool is_lone_turn(const json::Value& value);

/// Makes the turn of one. A call that has no id gets none here.
void add_lone_turn(const json::Value& value, TurnRecord& made);

}  // namespace spoor::import
