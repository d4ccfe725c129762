#include "import/responses_item.h"

#include <utility>

#include "compile/turn.h"
#include "import/content.h"

namespace spoor::import {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;
using Side = ItemKind::Side;

bool is_call(std::string_view type) { return type.ends_with("_call"); }
bool is_result(std::string_view type) { return type.ends_with("_output") || type == "tool_result"; }

void add_raw(const json::Value& item, TurnRecord& made) {
  made.turns().back().raw.push_back({std::string(item.raw())});
  made.taken()(item);
}

// Returns true if a result has the form of a message's content: parts, or an object with parts.
bool is_content(const json::Value& output) {
  if (output.find("content")) return true;
  for (const json::Value& part : output.elements()) {
    if (part.is_string() || part.find("text") || part.find("image_url") || part.find("data")) {
      return true;
    }
  }
  return false;
}

// Adds the result of a hosted call, which is in the call's item.
void add_mcp_result(const json::Value& item, TurnRecord& made) {
  const json::Value error = item.find("error");
  const bool is_error = !says_nothing(error);
  const json::Value result = is_error ? error : item.find("output");
  if (says_nothing(result)) return;
  Turn& turn = made.start(Type::tool);
  turn.fields.call_id = item.find("id").text();
  turn.fields.name = item.find("name").text();
  turn.fields.is_error = is_error;
  turn.text = text_or_bytes(result);
}

void add_call(const json::Value& item, std::string_view type, TurnRecord& made) {
  Turn& turn = made.start(Type::assistant);
  std::string id = item.find("call_id").text();
  const bool is_mcp = type == "mcp_call";
  const bool is_answered = !id.empty() || is_mcp || type == "function_call" ||
                           type == "local_shell_call" || type == "tool_call";
  if (id.empty()) id = item.find("id").text();
  if (is_answered) {
    ToolCall call{std::move(id), item.find("name").text(), {}};
    if (call.name.empty()) call.name = item.find("function").find("name").text();
    if (call.name.empty())
      call.name = type.substr(0, type.size() - std::string_view("_call").size());
    call.arguments = text_or_bytes(find_any(item, {"arguments", "input", "action"}));
    turn.fields.tool_calls.emplace().push_back(std::move(call));
  }
  add_raw(item, made);
  if (is_mcp) add_mcp_result(item, made);
}

void add_result(const json::Value& item, std::string_view type, TurnRecord& made) {
  Turn& turn = made.start(Type::tool);
  Taken& taken = made.taken();
  if (type == "function_call_output") taken(item, "type");
  turn.fields.call_id = taken.word(item, "call_id");
  const json::Value output = item.find(type == "tool_result" ? "result" : "output");
  if (type == "tool_result") {  // It has no id and answers the only open call.
    turn.fields.name = taken.text(item, "name");
    turn.text = text_or_bytes(taken(output));
  } else if (output.is_object()) {  // {"content": …, "success": …}
    turn.text = take_content(output.find("content"), turn, taken);
    turn.fields.is_error = output.find("success").is_false();
  } else if (output) {
    turn.text = take_content(output, turn, taken);
  } else if (const json::Value tools = item.find("tools"); type == "tool_search_output" && tools) {
    turn.text = std::string(taken(tools).raw());
  }
  // Output of a shell or a screen has no text member.
  if (turn.text.empty() && turn.attach.empty() && !says_nothing(output) && !is_content(output)) {
    turn.text = text_or_bytes(taken(output));
  }
  if (item.find("success").is_false()) turn.fields.is_error = true;
}

void add_reasoning(const json::Value& item, TurnRecord& made) {
  Turn& turn = made.start(Type::reasoning);
  turn.fields.format = "responses";
  for (const std::string_view key : {"summary", "content"}) {
    if (!turn.text.empty()) break;
    for (const json::Value& part : item.find(key).elements()) {
      const std::string text = part.find("text").text();
      if (!text.empty() && !turn.text.empty()) turn.text += "\n\n";
      turn.text += text;
    }
  }
  add_raw(item, made);
}

std::size_t text_parts(const json::Value& content) {
  return content.is_string() ? 1 : content.size();
}

void add_given(const json::Value& item, Type type, TurnRecord& made) {
  Turn& turn = made.start(type);
  if (item.find("role").equals("developer")) turn.fields.role = "developer";
  const json::Value content = item.find("content");
  if (text_parts(content) > 1) {
    Taken ignored;  // The whole item is kept.
    turn.text = take_content(content, turn, ignored);
    return add_raw(item, made);
  }
  turn.text = take_content(content, turn, made.taken());
  if (item.find("type").equals("message")) made.taken()(item, "type");
  made.taken().text(item, "role");
}

}  // namespace

ItemKind kind_of_item(const json::Value& item) {
  const std::string type = item.find("type").text();
  const std::string role = item.find("role").text();
  if (type == "message" || (type.empty() && !role.empty())) {
    if (role == "assistant") return {Side::made};
    if (role == "user") return {Side::given, true};
    return {compile::is_instruction_role(role) ? Side::given : Side::unknown};
  }
  if (type == "agent_message" && item.find("content").is_array()) return {Side::given};
  if (type == "reasoning" || type == "compaction" || type == "compaction_summary") {
    return {Side::made};
  }
  if (is_call(type)) return {Side::made};
  if (type == "tool_result" && !item.find("result")) return {};  // Another API's.
  if (is_result(type)) return {Side::result};
  return {};
}

void add_item_turn(const json::Value& item, TurnRecord& made) {
  const std::string type = item.find("type").text();
  const std::string role = item.find("role").text();
  if (is_call(type)) return add_call(item, type, made);
  if (is_result(type)) return add_result(item, type, made);
  if (role == "user") return add_given(item, Type::user, made);
  if (compile::is_instruction_role(role)) return add_given(item, Type::system, made);
  if (type == "agent_message") return add_given(item, Type::user, made);
  if (role == "assistant") {
    Turn& turn = made.start(Type::assistant);
    Taken ignored;
    turn.text = take_content(item.find("content"), turn, ignored);
    if (turn.text.empty()) {
      for (const json::Value& part : item.find("content").elements()) {
        turn.text += part.find("refusal").text();
      }
    }
    return add_raw(item, made);
  }
  add_reasoning(item, made);
}
}  // namespace spoor::import
