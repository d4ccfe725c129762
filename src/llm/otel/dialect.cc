#include "llm/otel/dialect.h"

#include <algorithm>
#include <array>

namespace spoor::llm::otel {
namespace {

constexpr std::array kAttributes = {
    Attribute{Meaning::operation, "gen_ai.operation.name"},
    Attribute{Meaning::span_kind, "openinference.span.kind"},
    Attribute{Meaning::span_kind, "traceloop.span.kind"},

    Attribute{Meaning::conversation, "gen_ai.conversation.id"},
    Attribute{Meaning::conversation, "session.id"},

    Attribute{Meaning::provider, "gen_ai.provider.name"},
    Attribute{Meaning::provider, "gen_ai.system"},
    Attribute{Meaning::provider, "llm.provider"},
    Attribute{Meaning::provider, "llm.system"},
    Attribute{Meaning::provider, "ai.model.provider"},

    Attribute{Meaning::response_model, "gen_ai.response.model"},
    Attribute{Meaning::response_model, "ai.response.model"},
    Attribute{Meaning::request_model, "gen_ai.request.model"},
    Attribute{Meaning::request_model, "llm.model_name"},
    Attribute{Meaning::request_model, "ai.model.id"},

    Attribute{Meaning::response_id, "gen_ai.response.id"},
    Attribute{Meaning::response_id, "ai.response.id"},

    Attribute{Meaning::finish_reason, "gen_ai.response.finish_reasons"},
    Attribute{Meaning::finish_reason, "llm.finish_reason"},
    Attribute{Meaning::finish_reason, "ai.response.finishReason"},

    Attribute{Meaning::input_tokens, "gen_ai.usage.input_tokens"},
    Attribute{Meaning::input_tokens, "gen_ai.usage.prompt_tokens"},
    Attribute{Meaning::input_tokens, "llm.token_count.prompt"},
    Attribute{Meaning::input_tokens, "ai.usage.inputTokens"},
    Attribute{Meaning::input_tokens, "ai.usage.promptTokens"},
    Attribute{Meaning::output_tokens, "gen_ai.usage.output_tokens"},
    Attribute{Meaning::output_tokens, "gen_ai.usage.completion_tokens"},
    Attribute{Meaning::output_tokens, "llm.token_count.completion"},
    Attribute{Meaning::output_tokens, "ai.usage.outputTokens"},
    Attribute{Meaning::output_tokens, "ai.usage.completionTokens"},
    Attribute{Meaning::cached_tokens, "gen_ai.usage.cache_read.input_tokens"},
    Attribute{Meaning::cached_tokens, "gen_ai.usage.cache_read_input_tokens"},
    Attribute{Meaning::cached_tokens, "llm.token_count.prompt_details.cache_read"},
    Attribute{Meaning::cached_tokens, "ai.usage.cachedInputTokens"},
    Attribute{Meaning::cached_tokens, "ai.usage.inputTokenDetails.cacheReadTokens"},
    Attribute{Meaning::cache_write_tokens, "gen_ai.usage.cache_creation.input_tokens"},
    Attribute{Meaning::cache_write_tokens, "gen_ai.usage.cache_creation_input_tokens"},
    Attribute{Meaning::cache_write_tokens, "llm.token_count.prompt_details.cache_write"},
    Attribute{Meaning::cache_write_tokens, "ai.usage.inputTokenDetails.cacheWriteTokens"},
    Attribute{Meaning::reasoning_tokens, "gen_ai.usage.reasoning.output_tokens"},
    Attribute{Meaning::reasoning_tokens, "gen_ai.usage.reasoning_tokens"},
    Attribute{Meaning::reasoning_tokens, "llm.token_count.completion_details.reasoning"},
    Attribute{Meaning::reasoning_tokens, "ai.usage.reasoningTokens"},
    Attribute{Meaning::reasoning_tokens, "ai.usage.outputTokenDetails.reasoningTokens"},

    Attribute{Meaning::instructions, "gen_ai.system_instructions"},
    Attribute{Meaning::input_messages, "gen_ai.input.messages"},
    Attribute{Meaning::input_messages, "ai.prompt.messages"},
    Attribute{Meaning::output_messages, "gen_ai.output.messages"},
    Attribute{Meaning::output_messages, "gen_ai.output"},
    Attribute{Meaning::output_text, "ai.response.text"},
    Attribute{Meaning::output_text, "ai.response.object"},
    Attribute{Meaning::output_calls, "ai.response.toolCalls"},

    Attribute{Meaning::tool_name, "gen_ai.tool.name"},
    Attribute{Meaning::tool_name, "tool.name"},
    Attribute{Meaning::tool_name, "ai.toolCall.name"},
    Attribute{Meaning::tool_name, "traceloop.entity.name"},
    Attribute{Meaning::tool_call_id, "gen_ai.tool.call.id"},
    Attribute{Meaning::tool_call_id, "tool.id"},
    Attribute{Meaning::tool_call_id, "ai.toolCall.id"},
    Attribute{Meaning::tool_arguments, "gen_ai.tool.call.arguments"},
    Attribute{Meaning::tool_arguments, "gen_ai.tool.args"},
    Attribute{Meaning::tool_arguments, "ai.toolCall.args"},
    Attribute{Meaning::tool_result, "gen_ai.tool.call.result"},
    Attribute{Meaning::tool_result, "ai.toolCall.result"},
    Attribute{Meaning::tool_result, "traceloop.entity.output"},
    Attribute{Meaning::tool_result, "output.value"},  // For an OpenInference span that is a tool.
};

constexpr std::array kSpreadLists = {
    SpreadList{Meaning::input_messages, "llm.input_messages"},
    SpreadList{Meaning::output_messages, "llm.output_messages"},
    SpreadList{Meaning::input_messages, "gen_ai.prompt"},
    SpreadList{Meaning::output_messages, "gen_ai.completion"},
};

constexpr std::array<std::string_view, 6> kNamespaces = {
    "gen_ai.", "openinference.", "llm.", "ai.", "traceloop.", "pydantic_ai."};
constexpr std::array<std::string_view, 2> kInternalScopes = {"codex_", "codex-"};

bool begins_with_one_of(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view each) { return text.starts_with(each); });
}

}  // namespace

bool is_own_attribute(std::string_view name) { return begins_with_one_of(name, kNamespaces); }
bool is_internal_scope(std::string_view scope) {
  return begins_with_one_of(scope, kInternalScopes);
}

std::span<const Attribute> attributes() { return kAttributes; }
std::span<const SpreadList> spread_lists() { return kSpreadLists; }

}  // namespace spoor::llm::otel
