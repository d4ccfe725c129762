#include "import/thread_key.h"

#include <string>

#include "compile/json/writer.h"
#include "store/text.h"

namespace spoor::import {

namespace json = compile::json;

namespace {

/// Another export may write the same arguments with other white space, and no arguments as an empty
/// object.
std::string canonical(const std::string& arguments) {
  if (store::trimmed(arguments).empty()) return "{}";
  const auto document = json::parse(arguments);
  if (!document) return arguments;
  std::string written;
  json::append_canonical(written, document.value().root());
  return written;
}

}  // namespace

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
      add(canonical(call.arguments));
    }
  }
  // A thought that only its provider can read is told by its item.
  if (turn.type == compile::Type::reasoning && turn.text.empty()) {
    for (const compile::Item& item : turn.raw) add(RecordKey::of(item.bytes).hex(32));
  }
  for (const compile::Item& item : turn.attach) {
    if (item.media_type == "application/json") continue;  // What stood beside it.
    add(item.media_type);
    add(RecordKey::of(item.bytes).hex(32));
  }
  return RecordKey::of(said);
}

}  // namespace spoor::import
