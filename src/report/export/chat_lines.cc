#include "report/export/chat_lines.h"

#include <algorithm>
#include <set>

#include "base/json/writer.h"

namespace spoor::report {
namespace {

using Messages = std::span<const ConversationMessage>;

std::string call_of(const compile::ToolCall& call, ChatForm form, LeftOut& left_out) {
  json::Object function;
  function.add_string("name", call.name);
  if (form == ChatForm::openai) {
    function.add_string("arguments", call.arguments);
  } else {
    function.add_json("arguments", arguments_object(call.arguments, left_out));
  }
  json::Object object;
  object.add_string("type", "function");
  object.add_string("id", call.id);
  object.add_json("function", function.write());
  return object.write();
}

std::string content_with_pictures(const ConversationMessage& message) {
  std::vector<std::string> parts;
  if (!message.text.empty()) {
    json::Object text;
    text.add_string("type", "text");
    text.add_string("text", message.text);
    parts.push_back(text.write());
  }
  for (const auto& picture : message.pictures) {
    json::Object part;
    part.add_string("type", "image_url");
    part.add_json("image_url", json::write_object("url", json::write_string(data_url(picture))));
    parts.push_back(part.write());
  }
  return json::write_array(parts);
}

std::string message_json(const ConversationMessage& message, ChatForm form, LeftOut& left_out) {
  json::Object object;
  const bool is_system = message.role == "developer" && form == ChatForm::trl;
  object.add_string("role", is_system ? "system" : message.role);
  const bool takes_pictures = form == ChatForm::openai && message.role == "user";
  if (takes_pictures && !message.pictures.empty()) {
    object.add_json("content", content_with_pictures(message));
  } else {
    object.add_string("content", message.text);
    left_out.add(left_out::kPictures, message.pictures.size());
  }
  if (!message.reasoning.empty()) object.add_string("reasoning_content", message.reasoning);
  if (!message.calls.empty()) {
    std::vector<std::string> calls;
    for (const auto& call : message.calls) calls.push_back(call_of(call, form, left_out));
    object.add_json("tool_calls", json::write_array(calls));
  }
  if (message.role == "tool") {
    object.add_string("tool_call_id", message.call_id);
    if (form == ChatForm::trl) object.add_string("name", message.tool);
  }
  return object.write();
}

std::string messages_json(Messages messages, ChatForm form, LeftOut& left_out) {
  std::vector<std::string> all;
  all.reserve(messages.size());
  std::set<std::string_view> asked;
  for (const auto& message : messages) {
    for (const auto& call : message.calls) asked.insert(call.id);
    const bool is_result = message.role == "tool";
    if (is_result && !asked.contains(message.call_id)) left_out.add(left_out::kOrphans);
    all.push_back(message_json(message, form, left_out));
  }
  return json::write_array(all);
}

// Returns the messages up to the last answer.
Messages up_to_answer(Messages messages, LeftOut& left_out) {
  std::size_t size = messages.size();
  while (size > 0 && !messages[size - 1].is_answer()) --size;
  if (size > 0) left_out.add(left_out::kUnanswered, messages.size() - size);
  return messages.first(size);
}

void add_tools(json::Object& line, const Conversation& conversation) {
  if (!conversation.tools.empty()) line.add_json("tools", json::write_array(conversation.tools));
}

void add_licence(json::Object& line, const Conversation& conversation) {
  if (!conversation.licence.empty()) line.add_string("license", conversation.licence);
}

std::string names_of(const std::vector<Oid>& oids) {
  std::vector<std::string> names;
  names.reserve(oids.size());
  for (const Oid& oid : oids) names.push_back(oid.hex());
  return json::write_strings(names);
}

}  // namespace

std::optional<std::string> sft_line(const Conversation& conversation, ChatForm form,
                                    LeftOut& left_out) {
  const Messages messages = up_to_answer(conversation.messages, left_out);
  if (messages.empty()) {
    left_out.add(left_out::kNoAnswer);
    return std::nullopt;
  }
  json::Object line;
  line.add_json("messages", messages_json(messages, form, left_out));
  add_tools(line, conversation);
  if (form == ChatForm::trl) {
    line.add_string("agent", conversation.agent);
    line.add_string("session", conversation.id);
    line.add_string("head", conversation.head.hex());
    add_licence(line, conversation);
  }
  return line.write();
}

std::optional<std::string> dpo_line(const Preferred& chosen, const Preferred& rejected,
                                    const std::string& tree, std::size_t shared, ChatForm form,
                                    LeftOut& left_out) {
  const Messages good = chosen.conversation.messages;
  const Messages bad = rejected.conversation.messages;
  std::size_t common = 0;
  while (common < std::min({good.size(), bad.size(), shared}) &&
         good[common].commit == bad[common].commit) {
    ++common;
  }
  const Messages better = up_to_answer(good.subspan(common), left_out);
  const Messages worse = up_to_answer(bad.subspan(common), left_out);
  if (better.empty() || worse.empty()) {
    left_out.add("pairs of which one attempt has no answer");
    return std::nullopt;
  }
  LeftOut of_pair;
  const std::string better_json = messages_json(better, form, of_pair);
  const std::string worse_json = messages_json(worse, form, of_pair);
  if (better_json == worse_json) {
    left_out.add("pairs of equal attempts");
    return std::nullopt;
  }
  json::Object line;
  line.add_json("prompt", messages_json(good.first(common), form, of_pair));
  line.add_json("chosen", better_json);
  line.add_json("rejected", worse_json);
  add_tools(line, chosen.conversation);
  line.add_string("tree", tree);
  line.add_string("chosen_attempt", chosen.conversation.head.hex());
  line.add_string("rejected_attempt", rejected.conversation.head.hex());
  line.add_json("chosen_judgements", names_of(chosen.judgements));
  line.add_json("rejected_judgements", names_of(rejected.judgements));
  add_licence(line, chosen.conversation);
  for (const auto& [reason, count] : of_pair.counts()) left_out.add(reason, count);
  return line.write();
}

}  // namespace spoor::report
