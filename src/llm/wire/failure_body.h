#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "llm/failure.h"

namespace spoor::llm::wire {

/// The maximum size of Failure::raw in bytes; longer error bodies are cut.
constexpr std::size_t kMaxFailureRaw = 64U << 10U;

/// Returns the failure in `body` if it is an error in one of the forms that providers use:
///
///     {"error": {"message", "type", "code", "status", "details"}}   OpenAI and most, Gemini
///     {"type": "error", "error": {"type", "message"}}               Anthropic
///     {"error": "…"}, {"code": "…", "error": "…"}                   Ollama, xAI, Hugging Face
///     {"object": "error", "message", "type"}, {"detail": …}         Mistral, FastAPI
///     {"message", "type", "code"}                                   Cerebras, Cohere
///
/// or an array that contains one of these. Otherwise nullopt, also if `error` is null.
std::optional<Failure> find_failure(int status, const json::Value& body);

/// Makes a failure that was detected here, with `raw` cut to kMaxFailureRaw.
Failure make_failure(Failure::Kind kind, std::string message, std::string_view raw = {});

}  // namespace spoor::llm::wire
