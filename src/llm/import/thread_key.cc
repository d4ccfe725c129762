#include "llm/import/thread_key.h"

#include <string>

#include "compile/json/writer.h"

namespace spoor::llm::import {

namespace json = compile::json;

RecordKey thread_key(const compile::Turn& turn, bool is_compress) {
  std::string said = is_compress ? "compress " : "";
  said += store::name_of(turn.type);
  const auto add = [&](const std::string& text) {
    said += ' ';
    json::append_string(said, text);
  };
  add(turn.text);
  add(turn.fields.call_id);
  if (turn.fields.tool_calls) {
    for (const compile::ToolCall& call : *turn.fields.tool_calls) {
      add(call.id);
      add(call.name);
      add(call.arguments);
    }
  }
  return RecordKey::of(said);
}

}  // namespace spoor::llm::import
