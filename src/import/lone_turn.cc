#include "import/lone_turn.h"

#include <string>
#include <string_view>
#include <utility>

namespace spoor::import {
namespace {

using compile::Turn;
using compile::Type;

json::Value call_name_of(const json::Value& call) {
  const json::Value function = call.find("function");
  return function.is_object() ? function.find("name") : call.find("name");
}

json::Value result_of(const json::Value& result) {
  for (const std::string_view key : {"result", "output", "content"}) {
    if (const json::Value value = result.find(key)) return value;
  }
  return {};
}

bool is_lone_call(const json::Value& value) {
  const std::string type = value.find("type").text();
  return (type == "function_call" || type == "tool_call" || type == "tool_use") &&
         call_name_of(value).is_string();
}

bool is_lone_result(const json::Value& value) {
  const std::string type = value.find("type").text();
  return (type == "function_result" || type == "tool_result" || type == "function_call_output") &&
         result_of(value);
}

}  // namespace

bool is_lone_turn(const json::Value& value) { return is_lone_call(value) || is_lone_result(value); }

void add_lone_turn(const json::Value& value, TurnRecord& made) {
  Taken& taken = made.taken();
  if (is_lone_result(value)) {
    Turn& turn = made.start(Type::tool);
    for (const std::string_view key : {"call_id", "tool_call_id", "tool_use_id", "id"}) {
      if (turn.fields.call_id.empty()) turn.fields.call_id = taken.word(value, key);
    }
    turn.fields.name = taken.text(value, "name");
    turn.text = text_or_bytes(taken(result_of(value)));
  } else {
    compile::ToolCall call;
    for (const std::string_view key : {"call_id", "id"}) {
      if (call.id.empty()) call.id = taken.word(value, key);
    }
    call.name = taken.text(call_name_of(value));
    for (const json::Value& object : {value.find("function"), value}) {
      for (const std::string_view key : {"arguments", "input"}) {
        if (call.arguments.empty()) call.arguments = text_or_bytes(taken(object, key));
      }
    }
    add_tool_call(made.start(Type::assistant), std::move(call));
  }
  taken(value, "type");
}

}  // namespace spoor::import
