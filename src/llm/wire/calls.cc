#include "llm/wire/calls.h"

#include "store/sha256.h"

namespace spoor::llm::wire {

std::string made_call_id(std::string_view reply, std::size_t position,
                         const compile::ToolCall& call) {
  std::string what(reply);
  what += '\0';
  what += std::to_string(position);
  what += '\0';
  what += call.name;
  what += '\0';
  what += call.arguments;
  return "call_" + store::sha256(what).hex().substr(0, 24);
}

std::string arguments_of(const json::Value& arguments) {
  if (arguments.is_string()) return arguments.text();
  if (arguments.type() == json::Type::null) return "{}";
  return std::string(arguments.raw());
}

}  // namespace spoor::llm::wire
