#include "import/conversations.h"

#include <algorithm>
#include <array>

#include "import/chat_message.h"
#include "import/content.h"
#include "import/names.h"
#include "import/responses_item.h"

namespace spoor::import {
namespace {

constexpr std::string_view kRoles = "system developer user assistant model ai tool function";

}  // namespace

json::Value first_of(const json::Value& array) {
  for (const json::Value& element : array.elements()) return element;
  return {};
}

void ConversationSink::begin(const std::string& name) {
  writer().name_session(name);
  conversation_ = name;
  actions_ = {};
  runs_blocks_ = false;
  unnamed_.clear();
  named_calls_ = 0;
  is_named_ = true;
  constexpr std::size_t kMost = 64;
  std::string word = ref_word(name);
  if (name.size() > kMost) word = word.substr(0, kMost - 13) + "-" + RecordKey::of(name).hex(12);
  begin_line(std::move(word));
}

void ConversationSink::begin_unnamed(const json::Value& messages) {
  json::Value first = messages.is_array() ? first_of(messages) : messages;
  for (const json::Value& message : messages.elements()) {
    if (message.find("role").equals("system") || message.find("from").equals("system")) continue;
    first = message;
    break;
  }
  begin(RecordKey::of(first.raw()).hex(8));
  is_named_ = false;
}

Result<void> ConversationSink::add_messages(const json::Value& messages, const ChatStyle& style) {
  json::Value message;
  for (const json::Value& next : messages.elements()) {
    next_ = next;
    if (message) TRY(add_message(message, style));
    TRY(flush_if_full());
    message = next;
  }
  next_ = {};
  return message ? add_message(message, style) : Result<void>();
}

Result<void> ConversationSink::add_message(const json::Value& message, const ChatStyle& style) {
  const std::string role = message.find("role").text();
  if (!is_one_of(role, kRoles)) return add_items(message, role);
  TRY(add_before(message));
  TurnRecord made(message, tool());
  if (is_named_) made.fact_text(fact::session, conversation_);
  add_facts(message, made);
  add_chat_turns(message, style, made);
  name_calls(made, false);
  pair_text_calls(message, made);
  complete(made);
  return add_turns(made, label_of("message", role));
}

void ConversationSink::name_turns(TurnRecord& made) {
  if (is_named_) made.fact_text(fact::session, conversation_);
  name_calls(made, false);
}

/// Names calls without an id by their number in the conversation. A result without an id answers
/// the first open call of its tool, or else the first open call. A call outside of a message does
/// not close the earlier ones.
void ConversationSink::name_calls(TurnRecord& made, bool is_lone) {
  for (compile::Turn& turn : made.turns()) {
    if (turn.type == compile::Type::tool && turn.fields.call_id.empty() && !unnamed_.empty()) {
      const auto of_tool = std::find_if(
          unnamed_.begin(), unnamed_.end(),
          [&](const compile::ToolCall& call) { return call.name == turn.fields.name; });
      const auto call = of_tool == unnamed_.end() ? unnamed_.begin() : of_tool;
      turn.fields.call_id = std::move(call->id);
      unnamed_.erase(call);
    }
    if (!turn.fields.tool_calls) continue;
    if (!is_lone) unnamed_.clear();
    for (compile::ToolCall& call : *turn.fields.tool_calls) {
      if (!call.id.empty()) continue;
      call.id = "call-" + std::to_string(++named_calls_);
      unnamed_.push_back({call.id, call.name, {}});
    }
  }
}

void ConversationSink::pair_text_calls(const json::Value& message, TurnRecord& made) {
  compile::Turn& last = made.turns().back();
  if (last.type == compile::Type::user) {
    if (!is_result_of_text(last.text)) return actions_.close();
    const bool is_result = actions_.answer(last);
    runs_blocks_ = runs_blocks_ || (is_result && is_block_result(last.text));
  } else if (last.type == compile::Type::assistant) {
    const bool has_calls = last.fields.tool_calls.has_value();
    actions_.call(
        has_calls ? std::vector<compile::ToolCall>() : calls_in_text(message, next_, last.text),
        last);
  }
}

/// Adds a response or an item of the Responses API, or a call or result outside of a message.
Result<void> ConversationSink::add_items(const json::Value& message, const std::string& role) {
  const json::Value output = message.find("output");
  const bool is_response = message.find("object").equals("response") && output.is_array();
  TurnRecord made(message, tool());
  if (is_named_) made.fact_text(fact::session, conversation_);
  if (is_response) {
    for (const json::Value& item : output.elements()) {
      if (kind_of_item(item).side != ItemKind::Side::unknown) add_item_turn(item, made);
    }
    made.made_fact_text(fact::message_id, message.find("id").text());
    made.made_fact(fact::model, message.find("model"));
    made.last_fact(fact::usage, message.find("usage"));
    made.set_time(message.find("created_at"));
  } else if (kind_of_item(message).side != ItemKind::Side::unknown) {
    add_item_turn(message, made);
  } else if (is_lone_turn(message)) {
    add_facts(message, made);
    add_lone_turn(message, made);
  }
  name_calls(made, true);
  const std::string type = is_response ? "response" : message.find("type").text();
  if (!made.has_turns()) return keep(message, label_of("message", role), is_kept_role(role));
  complete(made);
  return add_turns(made, label_of("message", type));
}

Result<void> ConversationSink::add_system(const json::Value& text) {
  if (!text || says_nothing(text)) return {};
  TurnRecord made(text, tool());
  if (is_named_) made.fact_text(fact::session, conversation_);
  say(compile::Type::system, text, made);
  return add_turns(made, "system");
}

void ConversationSink::add_facts(const json::Value& message, TurnRecord& made) {
  made.fact(fact::uuid, message.find("id"));
  made.set_time(message.find("timestamp"));
  made.set_time(message.find("ts"));
  made.made_fact(fact::model, message.find("model"));
}

std::vector<compile::ToolCall> ConversationSink::calls_in_text(const json::Value& /*message*/,
                                                               const json::Value& next,
                                                               std::string_view text) const {
  auto calls = function_tag_calls(text);
  // Such blocks may also be part of prose. A block counts as a call if the next message, or an
  // earlier one, shows that a block was run.
  if (calls.empty() && (runs_blocks_ || is_block_result(next.find("content").text()))) {
    if (const auto command = only_bash_block(text)) calls.push_back(bash_call(*command));
  }
  return calls;
}

bool ConversationSink::is_result_of_text(std::string_view text) const {
  return runs_blocks_ || is_tag_result(text) || is_block_result(text);
}

}  // namespace spoor::import
