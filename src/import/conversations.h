#pragma once

#include <deque>
#include <string>

#include "import/chat_message.h"
#include "import/head.h"
#include "import/sink.h"
#include "import/text_actions.h"

namespace spoor::import {

/// A base class for sinks of documents with lists of messages.
class ConversationSink : public SessionSink {
 public:
  using SessionSink::SessionSink;

 protected:
  /// Starts a conversation on the line `name`, which also names a source that has no name yet.
  void begin(const std::string& name);

  /// Does the same; if `name` is empty, as begin_unnamed().
  void begin(const std::string& name, const json::Value& messages) {
    name.empty() ? begin_unnamed(messages) : begin(name);
  }

  /// Starts a conversation without a name. It is named by its first message that is not a system
  /// message, so that a longer copy gets the same name. `messages` may be that one message.
  void begin_unnamed(const json::Value& messages);

  /// Adds each message as a record.
  Result<void> add_messages(const json::Value& messages, const ChatStyle& style);

  /// Adds one message, with the facts of add_facts(). Responses and items of the Responses API are
  /// accepted too. A message whose role no prompt has is kept.
  Result<void> add_message(const json::Value& message, const ChatStyle& style);

  /// Adds a system text that is stored outside of the messages, as the first turn.
  Result<void> add_system(const json::Value& text);

  /// Adds earlier parts that a format stores in the message. Called before each message.
  virtual Result<void> add_before(const json::Value& /*message*/) { return {}; }

  /// Adds the facts of a message that a format stores next to its role and content.
  virtual void add_facts(const json::Value& message, TurnRecord& made);

  /// Gives turns that were not made by add_message() what it gives them: the conversation's name as
  /// a fact, and names to calls and results without an id.
  void name_turns(TurnRecord& made);

  /// Called after the turns of a message or an item are made. add_facts() is called before it, for
  /// messages only.
  virtual void complete(TurnRecord& /*made*/) {}

  /// Returns the calls in the text of an answer that has no other calls. `next` is the message
  /// after it, missing if there is none yet.
  virtual std::vector<compile::ToolCall> calls_in_text(const json::Value& message,
                                                       const json::Value& next,
                                                       std::string_view text) const;

  /// Returns true if a user message with this text is the result of the open call.
  virtual bool is_result_of_text(std::string_view text) const;

  /// Returns true if the format has this role in addition to those of prompts. Its messages are
  /// kept.
  virtual bool is_kept_role(std::string_view /*role*/) const { return false; }

  /// Returns the conversation's name, which is a fact of its turns if the source names it.
  const std::string& conversation() const { return conversation_; }

  /// Pairs calls in texts with the messages that contain their results.
  TextActions& actions() { return actions_; }

 private:
  Result<void> add_items(const json::Value& message, const std::string& role);
  void name_calls(TurnRecord& made, bool is_lone);
  void pair_text_calls(const json::Value& message, TurnRecord& made);

  json::Value next_;  // The message after the current one.
  TextActions actions_;
  bool runs_blocks_ = false;               // A block of an answer was run in this conversation.
  std::deque<compile::ToolCall> unnamed_;  // Calls without an id and without a result so far.
  std::size_t named_calls_ = 0;
  std::string conversation_;
  bool is_named_ = false;
};

/// Returns the first element of an array; missing if there is none.
json::Value first_of(const json::Value& array);

}  // namespace spoor::import
