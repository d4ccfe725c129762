#include "compile/call_text.h"

#include <functional>

#include "compile/json/reader.h"

namespace spoor::compile {
namespace {

std::string below(const std::string& name, std::string_view step) {
  return name.empty() ? std::string(step) : name + "." + std::string(step);
}

// Every string value, in order, until the visitor says false. As deep as the reader goes.
bool each_text(const json::Value& value, const std::string& name,
               const std::function<bool(const std::string& name, std::string text)>& visit) {
  if (value.is_string()) return visit(name, value.text());
  if (value.is_array()) {
    std::size_t number = 0;
    for (const json::Value& element : value.elements()) {
      if (!each_text(element, below(name, std::to_string(number++)), visit)) return false;
    }
  } else if (value.is_object()) {
    for (const json::Member& member : value.members()) {
      if (!each_text(member.value, below(name, member.key.text()), visit)) return false;
    }
  }
  return true;
}

bool holds(std::string_view text, std::string_view phrase) {
  return text.find(phrase) != std::string_view::npos;
}

}  // namespace

std::vector<CallText> texts_with(const ToolCall& call, std::string_view phrase) {
  std::vector<CallText> found;
  if (const auto document = json::parse(call.arguments)) {
    each_text(document.value().root(), {}, [&](const std::string& name, std::string text) {
      if (holds(text, phrase)) found.push_back({name, std::move(text)});
      return true;
    });
  }
  if (found.empty() && holds(call.arguments, phrase)) found.push_back({{}, call.arguments});
  return found;
}

bool says(const ToolCall& call, std::string_view phrase) {
  if (holds(call.name, phrase) || holds(call.arguments, phrase)) return true;
  // Without an escape every text of it stands there as it is.
  if (!holds(call.arguments, "\\")) return false;
  return !texts_with(call, phrase).empty();
}

}  // namespace spoor::compile
