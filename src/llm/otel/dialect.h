#pragma once

#include <span>
#include <string_view>

namespace spoor::llm::otel {

/// What an attribute of a span says about a model's call or a tool's run.
enum class Meaning {
  operation,       ///< chat, execute_tool, …
  span_kind,       ///< LLM, TOOL, …
  conversation,    ///< its id
  provider,        ///< in the source's words
  request_model,   ///< asked for
  response_model,  ///< that answered
  response_id,
  finish_reason,  ///< one, or a list of them
  input_tokens,   ///< cached ones included
  output_tokens,  ///< reasoning included
  cached_tokens,
  reasoning_tokens,
  instructions,     ///< a system prompt: a text, or a list of parts
  input_messages,   ///< a list of messages as JSON
  output_messages,  ///< the same of what the model said
  output_text,      ///< a text alone
  output_calls,     ///< a list of calls as JSON
  tool_name,
  tool_call_id,
  tool_arguments,
  tool_result
};

/// One attribute of a dialect.
struct Attribute {
  Meaning meaning;
  std::string_view name;
};

/// A list of messages that is spread over attributes: `PREFIX.0.role`, `PREFIX.0.content`, …
struct SpreadList {
  Meaning meaning;  ///< input_messages or output_messages
  std::string_view prefix;
};

/// Every attribute that is read, of all dialects. Of several names for one meaning the first that a
/// span has counts. A receiver of live spans reads the same tables.
///
/// Sources: OpenTelemetry's semantic conventions for generative AI
/// (opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans, …/gen-ai-agent-spans and
/// …/gen-ai-events, with their JSON schemas of messages), earlier names of these; OpenInference
/// (github.com/Arize-ai/openinference, spec/semantic_conventions.md); OpenLLMetry
/// (github.com/traceloop/openllmetry, semantic conventions for AI); the AI SDK
/// (ai-sdk.dev/docs/ai-sdk-core/telemetry); any-agent (github.com/mozilla-ai/any-agent,
/// src/any_agent/tracing/attributes.py).
std::span<const Attribute> attributes();
std::span<const SpreadList> spread_lists();

}  // namespace spoor::llm::otel
