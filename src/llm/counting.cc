#include "llm/counting.h"

#include <algorithm>
#include <array>

#include "base/json/reader.h"
#include "base/json/writer.h"

namespace spoor::llm {
namespace {

// The members that Anthropic's count_tokens accepts; it rejects others, such as max_tokens and
// stream.
// platform.claude.com/docs/en/api/messages/count_tokens
constexpr std::array<std::string_view, 9> kAnthropicMembers = {
    "cache_control", "context_management", "mcp_servers", "messages", "model", "output_config",
    "system",        "thinking",           "tools"};

bool is_counted(std::string_view key) {
  return key == "tool_choice" ||
         std::ranges::find(kAnthropicMembers, key) != kAnthropicMembers.end();
}

std::string anthropic_body(const json::Value& call) {
  std::string out = "{";
  for (const json::Member member : call.members()) {
    if (!is_counted(member.key.text())) continue;
    if (out.size() > 1) out += ',';
    out += member.key.raw();
    out += ':';
    out += member.value.raw();
  }
  return out + "}";
}

// ai.google.dev/api/tokens: a whole call, including its model, as `generateContentRequest`.
std::string gemini_body(std::string_view model, const json::Value& call) {
  std::string name(model);
  if (!name.starts_with("models/") && !name.starts_with("tunedModels/")) name = "models/" + name;
  std::string out = R"({"generateContentRequest":{"model":)";
  json::append_string(out, name);
  for (const json::Member member : call.members()) {
    if (member.key.equals("model")) continue;
    out += ',';
    out += member.key.raw();
    out += ':';
    out += member.value.raw();
  }
  return out + "}}";
}

}  // namespace

Result<std::string> counting_body(Wire wire, std::string_view model, std::string_view body) {
  const json::Document document = TRY(json::parse(body));
  const json::Value call = document.root();
  if (!call.is_object()) return invalid("the body of a call is not a JSON object");
  return wire == Wire::gemini ? gemini_body(model, call) : anthropic_body(call);
}

Result<std::uint64_t> read_count(std::string_view body) {
  const auto document = json::parse(body);
  if (document) {
    for (const std::string_view name : {"input_tokens", "totalTokens"}) {
      const auto number = document.value().root().find(name).integer();
      if (number && *number >= 0) return static_cast<std::uint64_t>(*number);
    }
  }
  return unavailable("cannot read the provider's count of tokens");
}

}  // namespace spoor::llm
