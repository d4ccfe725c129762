#include "llm/wire/usage_reading.h"

#include <algorithm>
#include <limits>

namespace spoor::llm::wire {
namespace {

using json::Value;
using Count = std::optional<std::uint64_t>;

// Returns nullopt if it is not a count. Capped, so that sums of a few counts do not overflow.
Count count(const Value& value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  const auto number = value.integer();
  if (!number || *number < 0 || *number > kMost) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

Count first(Count one, Count other) { return one ? one : other; }

std::uint64_t or_zero(Count value) { return value.value_or(0); }

// Returns `all` without `part`.
Count without(Count all, Count part) {
  if (!all) return all;
  return *all - std::min(*all, or_zero(part));
}

Count sum(Count one, Count other) {
  if (!one && !other) return std::nullopt;
  return or_zero(one) + or_zero(other);
}

// True if the output count excludes reasoning. `total` counts everything once.
bool is_apart(Count input, Count output, Count reasoning, Count total) {
  if (!output || or_zero(reasoning) == 0) return false;
  if (*reasoning > *output) return true;
  return input && total && *total == *input + *output + *reasoning;
}

// The names of four counts that do not overlap.
struct Names {
  std::string_view input, cached, cache_written, output;
};

Usage read_apart(const Value& usage, const Names& names) {
  Usage read;
  if (!usage.is_object()) return read;
  read.raw = usage.raw();
  read.input = count(usage.find(names.input));
  read.cached = count(usage.find(names.cached));
  read.cache_written = count(usage.find(names.cache_written));
  read.output = count(usage.find(names.output));
  return read;
}

// The names of Gemini's counts: the prompt has what was cached, and not the results of tools.
struct GeminiNames {
  std::string_view prompt, cached, tools, thoughts, output;
};

Usage read_gemini(const Value& usage, const GeminiNames& names) {
  Usage read;
  if (!usage.is_object()) return read;
  read.raw = usage.raw();
  read.cached = count(usage.find(names.cached));
  read.input =
      sum(without(count(usage.find(names.prompt)), read.cached), count(usage.find(names.tools)));
  read.reasoning = count(usage.find(names.thoughts));
  read.output = sum(count(usage.find(names.output)), read.reasoning);
  return read;
}

}  // namespace

Usage openai_chat_usage(const Value& usage) {
  Usage read;
  if (!usage.is_object()) return read;
  read.raw = usage.raw();

  const Count prompt = count(usage.find("prompt_tokens"));
  const Value details = usage.find("prompt_tokens_details");
  read.cached = first(
      first(count(details.find("cached_tokens")), count(usage.find("prompt_cache_hit_tokens"))),
      count(usage.find("cached_tokens")));
  // LiteLLM includes Anthropic's cache writes in the prompt count.
  read.cache_written = first(count(details.find("cache_write_tokens")),
                             count(usage.find("cache_creation_input_tokens")));
  read.input = without(without(prompt, read.cached), read.cache_written);

  const Count completion = count(usage.find("completion_tokens"));
  read.reasoning = first(count(usage.find("completion_tokens_details").find("reasoning_tokens")),
                         count(usage.find("reasoning_tokens")));
  const Count total = count(usage.find("total_tokens"));
  read.output = is_apart(prompt, completion, read.reasoning, total)
                    ? sum(completion, read.reasoning)
                    : completion;
  return read;
}

Usage openai_responses_usage(const Value& usage) {
  Usage read;
  if (!usage.is_object()) return read;
  read.raw = usage.raw();

  const Count input = count(usage.find("input_tokens"));
  const Value details = usage.find("input_tokens_details");
  read.cached =
      first(count(details.find("cached_tokens")), count(usage.find("cached_input_tokens")));
  read.cache_written = first(count(details.find("cache_write_tokens")),
                             count(usage.find("cache_write_input_tokens")));
  read.input = without(without(input, read.cached), read.cache_written);

  const Count output = count(usage.find("output_tokens"));
  read.reasoning = first(count(usage.find("output_tokens_details").find("reasoning_tokens")),
                         count(usage.find("reasoning_output_tokens")));
  const Count total = count(usage.find("total_tokens"));
  read.output =
      is_apart(input, output, read.reasoning, total) ? sum(output, read.reasoning) : output;
  return read;
}

Usage anthropic_usage(const Value& usage) {
  Usage read = read_apart(usage, {"input_tokens", "cache_read_input_tokens",
                                  "cache_creation_input_tokens", "output_tokens"});
  read.reasoning = count(usage.find("output_tokens_details").find("thinking_tokens"));
  return read;
}

Usage gemini_usage(const Value& usage) {
  return read_gemini(usage,
                     {"promptTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount",
                      "thoughtsTokenCount", "candidatesTokenCount"});
}

Usage cline_usage(const Value& usage) {
  Usage read;
  if (!usage.is_object()) return read;
  read.raw = usage.raw();
  read.cached = count(usage.find("cacheReadTokens"));
  read.cache_written = count(usage.find("cacheWriteTokens"));
  read.input = without(without(count(usage.find("inputTokens")), read.cached), read.cache_written);
  read.output = count(usage.find("outputTokens"));
  return read;
}

Usage pi_usage(const Value& usage) {
  Usage read = read_apart(usage, {"input", "cacheRead", "cacheWrite", "output"});
  read.reasoning = count(usage.find("reasoning"));
  return read;
}

Usage opencode_usage(const Value& usage) {
  Usage read;
  if (!usage.is_object()) return read;
  read.raw = usage.raw();
  const Value cache = usage.find("cache");
  read.input = count(usage.find("input"));
  read.cached = count(cache.find("read"));
  read.cache_written = count(cache.find("write"));
  read.reasoning = count(usage.find("reasoning"));
  read.output = sum(count(usage.find("output")), read.reasoning);
  return read;
}

Usage inspect_usage(const Value& usage) {
  return read_apart(usage, {"input_tokens", "input_tokens_cache_read", "input_tokens_cache_write",
                            "output_tokens"});
}

Usage kimi_usage(const Value& usage) {
  return read_apart(usage, {"inputOther", "inputCacheRead", "inputCacheCreation", "output"});
}

Usage gemini_cli_usage(const Value& usage) {
  return read_gemini(usage, {"input", "cached", "tool", "thoughts", "output"});
}

}  // namespace spoor::llm::wire
