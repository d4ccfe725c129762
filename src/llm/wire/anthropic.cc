#include "llm/wire/anthropic.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "base/utf8.h"
#include "compile/turn.h"

namespace spoor::llm::wire {
namespace {

using compile::Part;
using compile::Type;
using json::append_string;

// Consecutive blocks of one role. A single text is written as a plain string.
struct Turn {
  std::string_view role;
  std::vector<std::string> blocks;    // JSON
  const std::string* lone = nullptr;  // The text, if it is the only block.
};

std::string text_block(std::string_view text) {
  std::string block = R"({"type":"text","text":)";
  append_string(block, text);
  return block + '}';
}

// True if a strict reader accepts the text unchanged: no raw control characters, valid UTF-8.
bool is_strict(std::string_view text) {
  return is_utf8(text) &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; });
}

// Returns `input`, which must be an object; other arguments are wrapped, not dropped.
std::string input_of(const compile::ToolCall& call) {
  const auto document = json::parse(call.arguments);
  if (document && document->root().is_object()) {
    if (is_strict(call.arguments)) return call.arguments;
    std::string canonical;
    json::append_canonical(canonical, document->root());
    return canonical;
  }
  std::string wrapped = R"({"arguments":)";
  append_string(wrapped, call.arguments);
  return wrapped + '}';
}

std::string call_block(const compile::ToolCall& call) {
  std::string block = R"({"type":"tool_use","id":)";
  append_string(block, call.id);
  block += R"(,"name":)";
  append_string(block, call.name);
  block += R"(,"input":)" + input_of(call);
  return block + '}';
}

std::string picture_block(const Pictures::Picture& picture) {
  std::string block = R"({"type":"image","source":{"type":"base64","media_type":)";
  append_string(block, picture.media_type);
  return block + R"(,"data":")" + encode_base64(*picture.bytes) + "\"}}";
}

std::string result_block(const Part& part, const std::vector<Pictures::Picture>& pictures) {
  std::string block = R"({"type":"tool_result","tool_use_id":)";
  append_string(block, part.fields ? std::string_view(part.fields->call_id) : "");
  block += R"(,"content":)";
  if (pictures.empty()) {
    append_string(block, *part.text);
  } else {
    block += '[';
    if (!trimmed(*part.text).empty()) block += text_block(*part.text) + ',';
    for (const auto& picture : pictures) block += picture_block(picture) + ',';
    block.back() = ']';
  }
  if (part.fields && part.fields->is_error) block += R"(,"is_error":true)";
  return block + '}';
}

void append_part(Turn& turn, const Part& part, const Pictures& all) {
  const std::vector<Pictures::Picture> pictures = all.of(part);
  const auto add = [&turn](std::string block) {
    turn.blocks.push_back(std::move(block));
    turn.lone = nullptr;
  };
  if (part.type == Type::tool) return add(result_block(part, pictures));
  if (turn.role == "user") {
    for (const auto& picture : pictures) add(picture_block(picture));
    for (std::string& document : all.documents_of(part)) add(std::move(document));
  }
  const auto* calls = part.calls();
  if (!trimmed(*part.text).empty()) {  // The API rejects blank text blocks.
    add(text_block(*part.text));
    if (turn.blocks.size() == 1) turn.lone = part.text.get();
  }
  if (calls == nullptr) return;
  for (const auto& call : *calls) add(call_block(call));
}

void append_turn(std::string& out, const Turn& turn) {
  if (out.back() != '[') out += ',';
  out += R"({"role":")";
  out += turn.role;
  out += R"(","content":)";
  if (turn.lone != nullptr) {
    append_string(out, *turn.lone);
  } else if (turn.blocks.empty()) {
    out += "\"\"";
  } else {
    out += '[';
    for (const std::string& block : turn.blocks) {
      if (&block != &turn.blocks.front()) out += ',';
      out += block;
    }
    out += ']';
  }
  out += '}';
}

}  // namespace

std::string anthropic_body(const compile::Prompt& prompt, const Pictures& pictures) {
  std::string system;
  bool has_system = false;
  std::vector<Turn> turns;
  for (const compile::Message& message : prompt.messages) {
    if (compile::is_instruction_role(message.role)) {
      if (has_system) system += "\n\n";
      system += message.text();
      has_system = true;
      continue;
    }
    const std::string_view role = message.role == "assistant" ? "assistant" : "user";
    const bool says_nothing =
        role == "assistant" && message.tool_calls().empty() && trimmed(message.text()).empty();
    if (says_nothing) continue;  // The API rejects empty messages.
    if (turns.empty() || turns.back().role != role) turns.push_back({role, {}, nullptr});
    for (const Part& part : message.parts) append_part(turns.back(), part, pictures);
  }

  std::string out = R"({"messages":[)";
  for (const Turn& turn : turns) append_turn(out, turn);
  out += ']';
  if (!system.empty()) {
    out += ",\"system\":";
    append_string(out, system);
  }
  out += '}';
  return out;
}

}  // namespace spoor::llm::wire
