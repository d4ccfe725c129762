#include "llm/wire/plain_text.h"

#include "compile/pictures.h"

namespace spoor::llm::wire {
namespace {

using compile::Part;
using compile::Type;

void append_text(std::string& out, std::string_view text) {
  out += text;
  if (!text.empty() && !text.ends_with('\n')) out += '\n';
}

void append_part(std::string& out, std::string_view role, const Part& part) {
  out += "--- ";
  out += role;
  if (part.type != Type::system && store::name_of(part.type) != role) {
    out += " (";
    out += store::name_of(part.type);
    out += ')';
  }
  if (part.type == Type::tool && part.fields) {
    out += " " + part.fields->name + " " + part.fields->call_id;
    if (part.fields->is_error) out += " error";
  }
  out += '\n';
  append_text(out, *part.text);
  for (const store::Content& each : compile::pictures_in(part.attach.get())) {
    out += compile::picture_mark(each) + '\n';
  }
  if (const auto* calls = part.calls()) {
    for (const auto& call : *calls) {
      out += "call " + call.name + " " + call.id + "\n";
      append_text(out, call.arguments);
    }
  }
}

}  // namespace

std::string plain_text(std::string_view role, const compile::Part& part) {
  std::string out;
  append_part(out, role, part);
  return out;
}

std::string plain_text(const compile::Prompt& prompt) { return plain_text(prompt.messages); }

std::string plain_text(std::span<const compile::Message> messages) {
  std::string out;
  for (const compile::Message& message : messages) {
    for (const Part& part : message.parts) append_part(out, message.role, part);
  }
  return out;
}

}  // namespace spoor::llm::wire
