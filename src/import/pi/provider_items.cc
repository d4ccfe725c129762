#include "import/pi/provider_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "import/thinking_item.h"

namespace spoor::import::pi {
namespace {

// Members of a chat message that hold a thought: there the signature is only the member's name.
bool is_chat_member(std::string_view signature) {
  constexpr std::array<std::string_view, 3> kMembers = {"reasoning_content", "reasoning",
                                                        "reasoning_text"};
  return std::find(kMembers.begin(), kMembers.end(), signature) != kMembers.end();
}

// A string as it was written.
std::string_view bytes_of(const json::Value& value) {
  return value.is_string() ? value.raw() : R"("")";
}

bool is_anthropic(std::string_view api) { return api == "anthropic-messages"; }

}  // namespace

bool is_google(std::string_view api) { return api.starts_with("google-"); }

void take_thinking(const json::Value& block, std::string_view api, compile::Turn& turn,
                   Taken& taken) {
  const json::Value thinking = block.find("thinking");
  const json::Value signature = block.find("thinkingSignature");
  turn.text = taken.text(thinking);
  turn.fields.format = "parsed";
  taken(block, "type");
  if (!signature.is_string() || says_nothing(signature)) return;
  const std::string said = signature.text();
  const std::string_view text = bytes_of(thinking);
  const auto document = json::parse(said);
  if (document && document->root().find("type").equals("reasoning")) {
    turn.fields.format = "responses";
    turn.raw.push_back({said});
  } else if (is_anthropic(api) && block.find("redacted").is_true()) {
    set_redacted_item(signature, turn, taken);
    taken(block, "redacted");
  } else if (is_anthropic(api)) {
    set_thinking_item(thinking, signature, turn, taken);
  } else if (is_google(api)) {
    turn.fields.format = "gemini";
    turn.raw.push_back({fmt::format(R"({{"text":{},"thought":true,"thoughtSignature":{}}})", text,
                                    signature.raw())});
  } else {
    turn.fields.format = is_chat_member(said) ? "reasoning_content" : "raw";
    turn.raw.push_back({std::string(block.raw())});
  }
  taken(signature);
}

bool add_google_part(const json::Value& block, std::vector<compile::Item>& parts, Taken& taken) {
  const bool is_call = block.find("type").equals("toolCall");
  const json::Value signature = block.find(is_call ? "thoughtSignature" : "textSignature");
  const bool is_signed = signature.is_string() && !says_nothing(signature);
  std::string part;
  if (is_call) {
    const json::Value arguments = block.find("arguments");
    part = fmt::format(R"({{"functionCall":{{"name":{},"args":{}}})", bytes_of(block.find("name")),
                       arguments.is_object() ? arguments.raw() : "{}");
  } else {
    part = fmt::format(R"({{"text":{})", bytes_of(block.find("text")));
  }
  if (is_signed) part += fmt::format(R"(,"thoughtSignature":{})", taken(signature).raw());
  parts.push_back({part + "}"});
  return is_signed;
}

}  // namespace spoor::import::pi
