#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "llm/failure.h"

namespace spoor::llm::wire {

/// Longer error bodies are cut in Failure::raw.
constexpr std::size_t kMaxFailureRaw = 64U << 10U;

/// The failure that `body` tells, if it is an error in one of the shapes that providers use:
///
///     {"error": {"message", "type", "code", "status", "details"}}   OpenAI and most, Gemini
///     {"type": "error", "error": {"type", "message"}}               Anthropic
///     {"error": "…"}, {"code": "…", "error": "…"}                   Ollama, xAI, Hugging Face
///     {"object": "error", "message", "type"}, {"detail": …}         Mistral, FastAPI
///     {"message", "type", "code"}                                   Cerebras, Cohere
///
/// or an array with one of these in it. Nothing for anything else, and where `error` is null.
std::optional<Failure> find_failure(int status, const json::Value& body);

/// A failure of our own finding, with as much of `raw` as is kept.
Failure make_failure(Failure::Kind kind, std::string message, std::string_view raw = {});

}  // namespace spoor::llm::wire
