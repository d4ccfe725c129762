#pragma once

#include <span>
#include <string_view>

namespace spoor::llm::otel {

/// The meaning of a span's attribute for a model call or a tool run.
enum class Meaning {
  operation,       ///< chat, execute_tool, …
  span_kind,       ///< LLM, TOOL, …
  conversation,    ///< the conversation's id
  provider,        ///< in the source's words
  request_model,   ///< the requested model
  response_model,  ///< the model that answered
  response_id,
  finish_reason,  ///< one, or a list of them
  input_tokens,   ///< including those read from and written to a cache
  output_tokens,  ///< including reasoning tokens
  cached_tokens,
  cache_write_tokens,
  reasoning_tokens,
  instructions,     ///< a system prompt: a text, or a list of parts
  input_messages,   ///< a list of messages as JSON
  output_messages,  ///< the model's messages, as JSON
  output_text,      ///< plain text
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

/// Returns all attributes that are read, of all dialects. If a span has several attributes of one
/// meaning, the first in this table counts. A receiver of live spans reads the same tables.
///
/// Sources: OpenTelemetry's semantic conventions for generative AI
/// (opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans, …/gen-ai-agent-spans and
/// …/gen-ai-events, with their JSON schemas of messages), earlier names of these; OpenInference
/// (github.com/Arize-ai/openinference, spec/semantic_conventions.md); OpenLLMetry
/// (github.com/traceloop/openllmetry, semantic conventions for AI); Logfire
/// (logfire.pydantic.dev/docs; the events of a span in an attribute: span.cc); the AI SDK
/// (ai-sdk.dev/docs/ai-sdk-core/telemetry); any-agent (github.com/mozilla-ai/any-agent,
/// src/any_agent/tracing/attributes.py).
std::span<const Attribute> attributes();
std::span<const SpreadList> spread_lists();

/// Returns true for an attribute that only spans of model calls, agents and their tools have: one
/// of a dialect's own namespace. `session.id`, for example, is in many spans.
bool is_own_attribute(std::string_view name);

/// Returns true for a scope whose spans are a program's internals, although some count tokens:
/// Codex writes a megabyte of them for a greeting.
bool is_internal_scope(std::string_view scope);

}  // namespace spoor::llm::otel
