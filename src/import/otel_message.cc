#include "import/otel_message.h"

#include <algorithm>
#include <string>
#include <utility>

#include "import/chat_message.h"
#include "import/content.h"

namespace spoor::import {
namespace {

using compile::Turn;
using compile::Type;

class OtelReader {
 public:
  OtelReader(Type type, TurnRecord& made) : type_(type), made_(made), taken_(made.taken()) {}

  void read(const json::Value& message) {
    taken_(message, "role");
    const json::Value content = message.find("content");
    if (content.is_string()) run().text += taken_.text(content);
    for (const char* key : {"parts", "content", "contents"}) {
      for (const json::Value& part : message.find(key).elements()) add_part(part);
    }
    if (type_ == Type::assistant) {
      for (const json::Value& call : message.find("tool_calls").elements()) {
        add_otel_call(call, run(), taken_);
      }
    }
    if (!made_.has_turns()) run();
    Turn& last = made_.turns().back();
    if (last.type != Type::tool || !last.fields.call_id.empty()) return;
    last.fields.call_id = taken_.word(message, "tool_call_id");
    last.fields.name = taken_.text(message, "name");
  }

 private:
  Turn& run() { return made_.run(type_); }

  void add_part(const json::Value& outer) {
    const json::Value inner = outer.find("message_content");
    const json::Value part = inner.is_object() ? inner : outer;
    std::string kind = part.find("type").text();
    std::replace(kind.begin(), kind.end(), '-', '_');
    const json::Value text = find_any(part, {"content", "text"});
    if (part.is_string()) {
      run().text += taken_.text(part);
    } else if (kind == "reasoning" || kind == "thinking") {
      made_.start_reasoning(text, "parsed");
      taken_(part, "type");
    } else if (kind == "tool_call" && type_ == Type::assistant) {
      add_otel_call(part, run(), taken_);
    } else if (kind == "tool_call_response" || kind == "tool_result") {
      add_result(part);
    } else if (auto picture = picture_of(part.find("mime_type").text(), text.text())) {
      run().attach.push_back(std::move(*picture));
      taken_(text);
    } else if (text.is_string()) {
      run().text += taken_.text(text);
      if (kind == "text") taken_(part, "type");
    }
  }

  void add_result(const json::Value& part) {
    Turn& turn = made_.start(Type::tool);
    turn.fields.call_id = taken_.word(find_any(part, {"id", "toolCallId"}));
    turn.fields.name = taken_.text(find_any(part, {"name", "toolName"}));
    const json::Value response = find_any(part, {"response", "result", "output"});
    const json::Value value = response.find("value");
    turn.text = text_or_bytes(taken_(value ? value : response));
    taken_(part, "type");
  }

  Type type_;
  TurnRecord& made_;
  Taken& taken_;
};

/// Is this a message as a chat API has it?
bool is_plain_chat(const json::Value& message) {
  if (!is_chat_message(message) || message.find("parts") || message.find("contents")) return false;
  for (const json::Value& call : message.find("tool_calls").elements()) {
    if (call.find("tool_call")) return false;
  }
  for (const json::Value& part : message.find("content").elements()) {
    const std::string kind = part.find("type").text();
    if (kind == "tool-call" || kind == "tool-result" || kind == "reasoning") return false;
  }
  return true;
}

}  // namespace

bool add_otel_call(const json::Value& outer, Turn& answer, Taken& taken) {
  const json::Value inner = outer.find("tool_call");
  const json::Value call = inner.is_object() ? inner : outer;
  const json::Value function = call.find("function");
  const json::Value named = function.is_object() ? function : call;
  const json::Value name = find_any(named, {"name", "toolName", "tool.name"});
  if (!name.is_string() || name.text().empty()) return false;
  const json::Value arguments = find_any(named, {"arguments", "input", "args", "tool.args"});
  std::string id = taken.word(find_any(call, {"id", "toolCallId"}));
  std::string called = taken.text(name);
  taken(call, "type");
  add_tool_call(answer, {std::move(id), std::move(called), text_or_bytes(taken(arguments))});
  return true;
}

void add_otel_message(const json::Value& outer, std::string_view role, TurnRecord& made) {
  const json::Value inner = outer.find("message");
  const json::Value message = inner.is_object() ? inner : outer;
  if (!inner && is_plain_chat(message)) return add_chat_turns(message, {}, made);
  const std::string told = message.find("role").text();
  OtelReader(type_of_role(told.empty() ? role : told), made).read(message);
}

}  // namespace spoor::import
