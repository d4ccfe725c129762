#include "llm/wire/openai_chat.h"

#include "base/json/writer.h"

namespace spoor::llm::wire {
namespace {

using compile::Message;
using compile::Part;
using compile::Type;
using json::append_string;

// An open element of `messages`, shared by several parts.
class Element {
 public:
  Element(std::string& out, std::string_view role) : out_(out) {
    if (out_.size() > 1) out_ += ',';
    out_ += R"({"role":")";
    out_ += role;
    out_ += '"';
  }

  void member(std::string_view key, std::string_view text) {
    out_ += ",\"";
    out_ += key;
    out_ += "\":";
    append_string(out_, text);
  }

  void content(std::string_view text, const std::vector<Pictures::Picture>& pictures) {
    if (pictures.empty()) return member("content", text);
    out_ += R"(,"content":[)";
    if (!text.empty()) {
      out_ += R"({"type":"text","text":)";
      append_string(out_, text);
      out_ += "},";
    }
    for (const auto& picture : pictures) {
      out_ += R"({"type":"image_url","image_url":{"url":)";
      append_string(out_, data_url(picture));
      out_ += "}},";
    }
    out_.back() = ']';
  }

  void calls(const std::vector<compile::ToolCall>& calls) {
    if (calls.empty()) return;
    out_ += R"(,"tool_calls":[)";
    for (const auto& call : calls) {
      if (&call != &calls.front()) out_ += ',';
      out_ += R"({"id":)";
      append_string(out_, call.id);
      out_ += R"(,"type":"function","function":{"name":)";
      append_string(out_, call.name);
      out_ += R"(,"arguments":)";
      append_string(out_, call.arguments);
      out_ += "}}";
    }
    out_ += ']';
  }

  void finish() { out_ += '}'; }

 private:
  std::string& out_;
};

void append_message(std::string& out, const Message& message, const Pictures& pictures) {
  // A chat message cannot contain reasoning, so it is a message before it.
  const Part* only = nullptr;
  std::size_t spoken = 0;
  for (const Part& part : message.parts) {
    if (part.type == Type::reasoning) {
      Element element(out, "assistant");
      element.member("content", *part.text);
      element.finish();
    } else {
      only = &part;
      ++spoken;
    }
  }
  if (spoken == 0) return;

  Element element(out, message.role);
  if (spoken == 1) {
    const bool has_place = message.role == "user";
    element.content(*only->text, has_place ? pictures.of(*only) : std::vector<Pictures::Picture>());
    if (const auto* calls = only->calls()) element.calls(*calls);
    if (only->type == Type::tool && only->fields) {
      element.member("tool_call_id", only->fields->call_id);
    }
  } else {
    std::string text;
    for (const Part& part : message.parts) {
      if (part.type != Type::reasoning) text += *part.text;
    }
    element.member("content", text);
    element.calls(message.tool_calls());
  }
  element.finish();
}

}  // namespace

std::string openai_chat_messages(const compile::Prompt& prompt, const Pictures& pictures) {
  std::size_t size = 2;
  for (const Message& message : prompt.messages) {
    for (const Part& part : message.parts) size += part.text->size() + 64;
  }
  std::string out;
  out.reserve(size + size / 16);
  out += '[';
  for (const Message& message : prompt.messages) append_message(out, message, pictures);
  out += ']';
  return out;
}

}  // namespace spoor::llm::wire
