#include "report/export/sts.h"

#include "base/json/writer.h"

namespace spoor::report {
namespace {

std::string call_of(const compile::ToolCall& call) {
  json::Object function;
  function.add_string("name", call.name);
  function.add_string("arguments", call.arguments);
  json::Object object;
  object.add_string("id", call.id);
  object.add_json("function", function.write());
  return object.write();
}

std::string message_of(const ConversationMessage& message) {
  json::Object object;
  object.add_string("role", message.role == "developer" ? "system" : message.role);
  object.add_string("content", message.text);
  if (!message.reasoning.empty()) object.add_string("reasoningContent", message.reasoning);
  if (!message.calls.empty()) {
    std::vector<std::string> calls;
    for (const auto& call : message.calls) calls.push_back(call_of(call));
    object.add_json("toolCalls", json::write_array(calls));
  }
  if (message.role == "tool") object.add_string("toolCallId", message.call_id);
  if (message.time) object.add_integer("timestamp", message.time->micros / 1'000);
  if (!message.model.empty()) object.add_string("model", message.model);
  return object.write();
}

}  // namespace

std::string sts_lines(const Conversation& conversation, LeftOut& left_out) {
  json::Object session;
  session.add_string("type", "session");
  session.add_string("harness", "spoor");
  session.add_string("id", conversation.id);
  if (!conversation.title.empty()) session.add_string("name", conversation.title);
  session.add_string("agent", conversation.agent);
  if (!conversation.agent_version.empty()) {
    session.add_string("agentVersion", conversation.agent_version);
  }
  session.add_string("head", conversation.head.hex());
  if (!conversation.licence.empty()) session.add_string("license", conversation.licence);
  std::string text = session.write() + '\n';
  left_out.add("tools", conversation.tools.size());
  for (const ConversationMessage& message : conversation.messages) {
    left_out.add(left_out::kPictures, message.pictures.size());
    json::Object line;
    line.add_string("type", "message");
    line.add_json("message", message_of(message));
    text += line.write() + '\n';
  }
  return text;
}

}  // namespace spoor::report
