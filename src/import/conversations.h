#pragma once

#include <deque>
#include <string>

#include "import/chat_message.h"
#include "import/head.h"
#include "import/sink.h"
#include "import/text_actions.h"

namespace spoor::import {

/// What sinks of documents with lists of messages share.
class ConversationSink : public SessionSink {
 public:
  using SessionSink::SessionSink;

 protected:
  /// Begins a conversation: a line called `name`, which also names a source that has no name yet.
  void begin(const std::string& name);

  /// The same with the first of `messages` in place of an empty name.
  void begin(const std::string& name, const json::Value& messages) {
    name.empty() ? begin_unnamed(messages) : begin(name);
  }

  /// The same where the source names none: by its first message that is no system's, so that a
  /// longer copy has the same name. `messages` may be that one message.
  void begin_unnamed(const json::Value& messages);

  /// Each message is a record.
  Result<void> add_messages(const json::Value& messages, const ChatStyle& style);

  /// One message; what add_facts() finds in it is added. Responses and items of the Responses API
  /// may stand in its place. A role that no prompt has is kept.
  Result<void> add_message(const json::Value& message, const ChatStyle& style);

  /// A text that stands beside the messages as the first thing the model was told.
  Result<void> add_system(const json::Value& text);

  /// Called before a message: adds what a format keeps with it that came before.
  virtual Result<void> add_before(const json::Value& /*message*/) { return {}; }

  /// What a format says of a message beside the message.
  virtual void add_facts(const json::Value& message, TurnRecord& made);

  /// Called when the turns of a message or an item are made; add_facts() was called before of a
  /// message alone.
  virtual void complete(TurnRecord& /*made*/) {}

  /// The calls that an answer without calls of its own makes in its text. `next` is the message
  /// after it, missing if there is none yet.
  virtual std::vector<compile::ToolCall> calls_in_text(const json::Value& message,
                                                       const json::Value& next,
                                                       std::string_view text) const;

  /// Is a user message with this text the result of the call that is open?
  virtual bool is_result_of_text(std::string_view text) const;

  /// Is this a role that the format has besides those of prompts? Its messages are kept.
  virtual bool is_kept_role(std::string_view /*role*/) const { return false; }

  /// The name of the conversation; a fact of its turns where the source has one.
  const std::string& conversation() const { return conversation_; }

  /// Pairs calls in texts with the messages that bring their results.
  TextActions& actions() { return actions_; }

 private:
  Result<void> add_items(const json::Value& message, const std::string& role);
  void name_calls(TurnRecord& made, bool is_lone);
  void pair_text_calls(const json::Value& message, TurnRecord& made);

  json::Value next_;  // The message after the one that is read.
  TextActions actions_;
  bool runs_blocks_ = false;               // A block of an answer was run in this conversation.
  std::deque<compile::ToolCall> unnamed_;  // Calls without an id that nothing answered yet.
  std::size_t named_calls_ = 0;
  std::string conversation_;
  bool is_named_ = false;
};

/// The first element of an array; missing when there is none.
json::Value first_of(const json::Value& array);

}  // namespace spoor::import
