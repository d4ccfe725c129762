#include "llm/wire/calls.h"

#include "store/sha256.h"

namespace spoor::llm::wire {

namespace {

constexpr std::string_view kMade = "call_";
constexpr std::size_t kDigits = 24;

}  // namespace

std::string made_call_id(std::string_view reply, std::size_t position,
                         const compile::ToolCall& call) {
  std::string what(reply);
  what += '\0';
  what += std::to_string(position);
  what += '\0';
  what += call.name;
  what += '\0';
  what += call.arguments;
  return std::string(kMade) + store::sha256(what).hex().substr(0, kDigits);
}

bool is_made_call_id(std::string_view id) {
  return id.size() == kMade.size() + kDigits && id.starts_with(kMade) &&
         id.find_first_not_of("0123456789abcdef", kMade.size()) == std::string_view::npos;
}

std::string arguments_of(const json::Value& arguments) {
  if (arguments.is_string()) return arguments.text();
  if (arguments.type() == json::Type::null) return "{}";
  return std::string(arguments.raw());
}

}  // namespace spoor::llm::wire
