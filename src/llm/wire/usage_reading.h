#pragma once

#include "base/json/reader.h"
#include "llm/usage.h"

namespace spoor::llm::wire {

// Convert each provider's usage object to Usage. Return an empty Usage if it is not an object.

/// `prompt_tokens` includes cached tokens; `completion_tokens`. Some providers count reasoning
/// separately from `completion_tokens` (xAI), which `total_tokens` shows. DeepSeek has its own
/// names for caches.
Usage openai_chat_usage(const json::Value& usage);

/// `input_tokens` includes cached tokens; `output_tokens`.
Usage openai_responses_usage(const json::Value& usage);

/// `input_tokens` excludes cached tokens.
Usage anthropic_usage(const json::Value& usage);

/// `promptTokenCount` includes cached tokens; `thoughtsTokenCount` is not part of
/// `candidatesTokenCount`.
Usage gemini_usage(const json::Value& usage);

// The usage objects of agents, as written into their sessions.

/// `inputTokens` includes `cacheReadTokens`.
Usage cline_usage(const json::Value& usage);

/// `input` excludes `cacheRead` and `cacheWrite`; `output` includes `reasoning`.
Usage pi_usage(const json::Value& usage);

/// `input` excludes `cache.read` and `cache.write`; `output` excludes `reasoning`.
Usage opencode_usage(const json::Value& usage);

/// `input_tokens` excludes `input_tokens_cache_read` and `…_write`.
Usage inspect_usage(const json::Value& usage);

/// `inputOther` excludes `inputCacheRead` and `inputCacheCreation`.
Usage kimi_usage(const json::Value& usage);

/// `input` includes `cached` and excludes `tool`; `output` excludes `thoughts`.
Usage gemini_cli_usage(const json::Value& usage);

}  // namespace spoor::llm::wire
