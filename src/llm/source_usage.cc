#include "llm/source_usage.h"

#include <algorithm>

#include "llm/wire/usage_reading.h"

namespace spoor::llm {
namespace {

using json::Value;

Usage usage_in(const Value& usage) {
  if (usage.find("prompt_tokens") || usage.find("completion_tokens")) {
    return wire::openai_chat_usage(usage);  // Also LiteLLM's, which repeats Anthropic's names.
  }
  if (usage.find("input_tokens_cache_read") || usage.find("input_tokens_cache_write")) {
    return wire::inspect_usage(usage);
  }
  if (usage.find("input_tokens") || usage.find("output_tokens")) {
    const bool holds_cached =
        usage.find("input_tokens_details") || usage.find("cached_input_tokens");
    return holds_cached ? wire::openai_responses_usage(usage) : wire::anthropic_usage(usage);
  }
  if (usage.find("promptTokenCount")) return wire::gemini_usage(usage);
  if (usage.find("inputTokens") || usage.find("outputTokens")) return wire::cline_usage(usage);
  if (usage.find("inputOther")) return wire::kimi_usage(usage);
  if (usage.find("cacheRead") || usage.find("cacheWrite")) return wire::pi_usage(usage);
  if (usage.find("cache").is_object() || usage.find("reasoning")) {
    return wire::opencode_usage(usage);
  }
  if (usage.find("input") || usage.find("output")) return wire::gemini_cli_usage(usage);
  return {};
}

std::optional<Money> cost_in(const Value& usage) {
  const Value cost = usage.find("cost");
  for (const Value& told : {cost.find("total"), cost, usage.find("cost_usd")}) {
    if (const auto money = parse_dollars(told.raw())) return money;
  }
  return std::nullopt;
}

}  // namespace

SourceUsage read_source_usage(const Value& usage) {
  if (!usage.is_object()) return {};
  return {.usage = usage_in(usage), .cost = cost_in(usage)};
}

UsageTrust usage_trust(const compile::FactsView& facts) {
  if (facts.json(fact::tokens).is_object()) return UsageTrust::reported;
  const Usage usage = read_source_usage(facts.json(fact::usage)).usage;
  const bool is_known = usage.input || usage.cached || usage.cache_written || usage.output;
  if (!is_known) return UsageTrust::unknown;
  const bool is_placeholder =
      facts.says(fact::source, "claude-code") && facts.get(fact::finish_reason).empty();
  return is_placeholder ? UsageTrust::partial : UsageTrust::reported;
}

std::string_view name_of(UsageTrust trust) {
  switch (trust) {
    case UsageTrust::reported:
      return "reported";
    case UsageTrust::partial:
      return "partial";
    case UsageTrust::estimated:
      return "estimated";
    case UsageTrust::unknown:
      break;
  }
  return "unknown";
}

}  // namespace spoor::llm
