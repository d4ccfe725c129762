#pragma once

#include "base/json/reader.h"
#include "llm/usage.h"

namespace spoor::llm::wire {

// Each provider's usage object in the one meaning of usage.h. Anything but an object: nothing.

/// `prompt_tokens` with cached ones in it, `completion_tokens`. Some count reasoning apart from
/// `completion_tokens` (xAI); their `total_tokens` tells. DeepSeek has names of its own for caches.
Usage openai_chat_usage(const json::Value& usage);

/// `input_tokens` with cached ones in it, `output_tokens`.
Usage openai_responses_usage(const json::Value& usage);

/// `input_tokens` without the cached ones.
Usage anthropic_usage(const json::Value& usage);

/// `promptTokenCount` with cached ones in it; `thoughtsTokenCount` apart from
/// `candidatesTokenCount`.
Usage gemini_usage(const json::Value& usage);

// Those of agents, as they write them into their sessions.

/// `inputTokens` with `cacheReadTokens` in it.
Usage cline_usage(const json::Value& usage);

/// `input` without `cacheRead` and `cacheWrite`; `reasoning` in `output`.
Usage pi_usage(const json::Value& usage);

/// `input` without `cache.read` and `cache.write`; `reasoning` apart from `output`.
Usage opencode_usage(const json::Value& usage);

/// `input_tokens` without `input_tokens_cache_read` and `…_write`.
Usage inspect_usage(const json::Value& usage);

/// `inputOther` without `inputCacheRead` and `inputCacheCreation`.
Usage kimi_usage(const json::Value& usage);

/// `input` with `cached` in it; `thoughts` apart from `output`, and `tool` from `input`.
Usage gemini_cli_usage(const json::Value& usage);

}  // namespace spoor::llm::wire
