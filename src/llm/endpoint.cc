#include "llm/endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/percent.h"

namespace spoor::llm {
namespace {

// Gemini's model names are paths: `models/gemini-2.5-pro`, `tunedModels/mine`.
std::string gemini_model(std::string_view model) {
  for (const std::string_view folder : {"models/", "tunedModels/"}) {
    if (model.starts_with(folder)) {
      return std::string(folder) + percent_encoded(model.substr(folder.size()));
    }
  }
  return "models/" + percent_encoded(model);
}

std::string with_page(std::string url, std::string_view parameter, std::string_view page) {
  if (!page.empty()) url += fmt::format("&{}={}", parameter, percent_encoded(page));
  return url;
}

}  // namespace

std::string completion_url(const Profile& profile, std::string_view model, bool stream) {
  switch (profile.wire) {
    case Wire::openai_chat:
      return profile.base_url + "/chat/completions";
    case Wire::openai_responses:
      return profile.base_url + "/responses";
    case Wire::anthropic:
      return profile.base_url + "/v1/messages";
    case Wire::gemini:
      return fmt::format("{}/{}:{}", profile.base_url, gemini_model(model),
                         stream ? "streamGenerateContent?alt=sse" : "generateContent");
    case Wire::ollama:
      return profile.base_url + "/api/chat";
  }
  return {};
}

std::string counting_url(const Profile& profile, std::string_view model) {
  switch (profile.wire) {
    case Wire::anthropic:
      return profile.base_url + "/v1/messages/count_tokens";
    case Wire::gemini:
      return fmt::format("{}/{}:countTokens", profile.base_url, gemini_model(model));
    case Wire::openai_chat:
    case Wire::openai_responses:
    case Wire::ollama:
      break;
  }
  return {};
}

std::string models_url(const Profile& profile, std::string_view page) {
  switch (profile.wire) {
    case Wire::openai_chat:
    case Wire::openai_responses:
      return profile.base_url + "/models";
    case Wire::anthropic:
      return with_page(profile.base_url + "/v1/models?limit=1000", "after_id", page);
    case Wire::gemini:
      return with_page(profile.base_url + "/models?pageSize=1000", "pageToken", page);
    case Wire::ollama:
      return profile.base_url + "/api/tags";
  }
  return {};
}

http::Headers request_headers(const Profile& profile, const Key& key) {
  http::Headers headers = {{"content-type", "application/json"}, {"user-agent", "spoor"}};
  // Not 2026-10-21, which rejects temperature, top_p and an assistant's documents: existing
  // histories and settings contain them. platform.claude.com/docs/en/api/migration-2026-10-21
  const bool has_version = std::ranges::any_of(
      profile.headers, [](const auto& header) { return header.first == "anthropic-version"; });
  if (profile.wire == Wire::anthropic && !has_version) {
    headers.emplace_back("anthropic-version", "2023-06-01");
  }
  for (const auto& header : profile.headers) headers.push_back(header);
  if (key.empty()) return headers;
  switch (profile.wire) {
    case Wire::anthropic:
      headers.emplace_back("x-api-key", key.secret());
      break;
    case Wire::gemini:
      headers.emplace_back("x-goog-api-key", key.secret());
      break;
    case Wire::openai_chat:
    case Wire::openai_responses:
    case Wire::ollama:
      headers.emplace_back("authorization", "Bearer " + key.secret());
      break;
  }
  return headers;
}

}  // namespace spoor::llm
