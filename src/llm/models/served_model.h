#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// The limits of a model, as the server states them that has it.
struct ServedModel {
  std::int64_t context = 0;         ///< tokens of a request and its answer; 0: it does not say
  std::int64_t max_output = 0;      ///< tokens of an answer; 0: it does not say
  std::optional<bool> takes_tools;  ///< native calls; nullopt: it does not say

  bool operator==(const ServedModel&) const = default;
};

/// The question to a server about a model.
struct ModelQuestion {
  std::string url;
  std::string body;  ///< empty: a GET
};
ModelQuestion describing(const Profile& profile, std::string_view model);

/// Reads the answer: Ollama's /api/show, a model of Anthropic or Gemini, or a list of models in the
/// forms of vLLM, OpenRouter, Groq, Mistral, Together and LM Studio. Code::not_found if a list does
/// not have the model, Code::unavailable if it cannot be read.
Result<ServedModel> read_served_model(Wire wire, std::string_view model, std::string_view body);

}  // namespace spoor::llm
