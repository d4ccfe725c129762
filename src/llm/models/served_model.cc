#include "llm/models/served_model.h"

#include <array>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/percent.h"
#include "llm/endpoint.h"

namespace spoor::llm {
namespace {

using json::Value;

// Members with the tokens of a request and its answer. 2026-11: docs.vllm.ai (max_model_len),
// openrouter.ai/docs/api-reference/list-available-models (context_length),
// console.groq.com/docs/api-reference (context_window), docs.mistral.ai/api (max_context_length),
// lmstudio.ai/docs/developer (max_context_length), platform.claude.com/docs/en/api/models
// (max_input_tokens), ai.google.dev/api/models (inputTokenLimit).
constexpr std::array<std::string_view, 6> kContext = {"context_length",   "max_model_len",
                                                      "context_window",   "max_context_length",
                                                      "max_input_tokens", "inputTokenLimit"};
constexpr std::array<std::string_view, 4> kOutput = {"max_completion_tokens", "max_output_tokens",
                                                     "max_tokens", "outputTokenLimit"};

constexpr std::int64_t kMostTokens = 1'000'000'000;  // More is a mistake of the server's.

std::int64_t count_of(const Value& value) {
  const std::int64_t count = value.integer().value_or(0);
  return count > 0 && count <= kMostTokens ? count : 0;
}

template <class Names>
std::int64_t first_count(const Value& object, const Names& names) {
  for (const std::string_view name : names) {
    if (const std::int64_t count = count_of(object.find(name)); count > 0) return count;
  }
  return 0;
}

// docs.ollama.com/api-reference/show-model-details
ServedModel read_show(const Value& body) {
  ServedModel served;
  for (const json::Member member : body.find("model_info").members()) {
    if (!member.key.text().ends_with(".context_length")) continue;
    served.context = count_of(member.value);
  }
  const Value abilities = body.find("capabilities");
  if (!abilities.is_array()) return served;
  served.takes_tools = false;
  for (const Value ability : abilities.elements()) {
    if (ability.equals("tools")) served.takes_tools = true;
  }
  return served;
}

ServedModel read_entry(const Value& entry) {
  ServedModel served;
  served.context = first_count(entry, kContext);
  served.max_output = first_count(entry, kOutput);
  const Value top = entry.find("top_provider");  // OpenRouter
  if (const auto most = first_count(top, kOutput); most > 0) served.max_output = most;
  return served;
}

}  // namespace

ModelQuestion describing(const Profile& profile, std::string_view model) {
  switch (profile.wire) {
    case Wire::ollama: {
      json::Object body;
      body.add_string("model", model);
      return {profile.base_url + "/api/show", body.write()};
    }
    case Wire::anthropic:
      return {fmt::format("{}/v1/models/{}", profile.base_url, percent_encoded(model)), {}};
    case Wire::gemini:
      return {fmt::format("{}/models/{}", profile.base_url, percent_encoded(model)), {}};
    case Wire::openai_chat:
    case Wire::openai_responses:
      return {profile.base_url + "/models", {}};
  }
  return {};
}

Result<ServedModel> read_served_model(Wire wire, std::string_view model, std::string_view body) {
  const auto document = json::parse(body);
  if (!document) return unavailable("cannot read what the provider says of its models");
  const Value root = document->root();
  if (wire == Wire::ollama) return read_show(root);
  if (wire == Wire::anthropic || wire == Wire::gemini) return read_entry(root);
  // together.ai returns a bare array.
  const Value list = root.is_array() ? root : root.find("data");
  for (const Value entry : list.elements()) {
    if (entry.find("id").equals(model)) return read_entry(entry);
  }
  return not_found(fmt::format("the provider's list has no model '{}'", model));
}

}  // namespace spoor::llm
