#include "llm/models/default_params.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/words.h"
#include "llm/models/model_facts.h"

namespace spoor::llm {
namespace {

using json::Object;
using json::Value;

// For a model whose limit is unknown; a smaller one is learnt from the refusal.
constexpr std::int64_t kUnknownOutput = 32'000;

constexpr std::int64_t kUsualBudget = 16'000;

constexpr std::array<std::string_view, 7> kEfforts = {"none", "minimal", "low", "medium",
                                                      "high", "xhigh",   "max"};

std::string text_of(std::string_view key, std::string_view text) {
  return json::write_object(key, json::write_string(text));
}

// A provider of one's own may have any name.
bool is_openrouter(const Profile& profile) {
  return profile.name == "openrouter" || profile.name.starts_with("openrouter-") ||
         profile.base_url.starts_with("https://openrouter.ai/");
}

// Thinking with a budget excludes other sampling and a forced tool.
// platform.claude.com/docs/en/build-with-claude/extended-thinking ("Feature compatibility")
bool allows_budget(const Value& given) {
  const Value choice = given.find("tool_choice").find("type");
  return !given.find("temperature") && !given.find("top_p") && !given.find("top_k") &&
         !choice.equals("any") && !choice.equals("tool");
}

void add_budget(std::int64_t wanted, std::int64_t max_tokens, Object& params) {
  const auto budget = thinking_budget(wanted, max_tokens);
  if (!budget) return;
  Object thinking;
  thinking.add_string("type", "enabled");
  thinking.add_integer("budget_tokens", *budget);
  params.add_json("thinking", thinking.write());
}

void add_anthropic(const ModelFacts& facts, const Value& given, Object& params) {
  const std::int64_t most = facts.max_output > 0 ? facts.max_output : kUnknownOutput;
  if (!given.find("max_tokens")) params.add_integer("max_tokens", most);
  // Marks the end of the prompt for the cache, so that the next turn reads the prefix sent here.
  // platform.claude.com/docs/en/build-with-claude/prompt-caching ("automatic caching")
  params.add_json("cache_control", text_of("type", "ephemeral"));
  if (given.find("thinking")) return;
  switch (facts.thinking) {
    case Thinking::hidden: {
      Object thinking;
      thinking.add_string("type", "adaptive");
      thinking.add_string("display", "summarized");
      return params.add_json("thinking", thinking.write());
    }
    case Thinking::adaptive:
      if (allows_budget(given)) params.add_json("thinking", text_of("type", "adaptive"));
      return;
    case Thinking::budget:
      if (allows_budget(given)) {
        add_budget(kUsualBudget, given.find("max_tokens").integer().value_or(most), params);
      }
      return;
    default:
      return;
  }
}

void add_responses(const ModelFacts& facts, Object& params) {
  params.add_boolean("store", false);
  if (facts.thinking == Thinking::none) return;  // "Encrypted content is not supported".
  params.add_json("include", R"(["reasoning.encrypted_content"])");
  if (facts.thinking == Thinking::reasoning) {
    params.add_json("reasoning", text_of("summary", "auto"));
  }
}

void add_gemini(const ModelFacts& facts, Object& params) {
  if (facts.thinking != Thinking::level && facts.thinking != Thinking::tokens) return;
  Object config;
  config.add_boolean("includeThoughts", true);
  params.add_json("generationConfig", json::write_object("thinkingConfig", config.write()));
}

// The accepted level nearest to `wanted`: itself, else the next lower one, else the lowest.
std::string_view nearest(std::string_view accepted, std::string_view wanted) {
  std::string_view best;
  const auto rank = [](std::string_view level) {
    return std::find(kEfforts.begin(), kEfforts.end(), level) - kEfforts.begin();
  };
  while (!accepted.empty()) {
    const std::size_t end = std::min(accepted.find(' '), accepted.size());
    const std::string_view level = accepted.substr(0, end);
    accepted.remove_prefix(std::min(end + 1, accepted.size()));
    if (best.empty() || rank(level) <= rank(wanted)) best = level;
  }
  return best;
}

// Tokens of thinking for a level, for models that take tokens.
std::int64_t tokens_for(std::string_view level) {
  if (level == "minimal" || level == "low") return 4'096;
  return level == "medium" ? 12'288 : 24'576;
}

std::string anthropic_effort(const ModelFacts& facts, std::string_view effort,
                             std::string_view level) {
  if (effort == "none" && !facts.off.empty()) {
    return json::write_object("thinking", text_of("type", facts.off));
  }
  if (facts.thinking == Thinking::budget && facts.efforts.empty()) {
    Object params;
    add_budget(tokens_for(level), facts.max_output, params);
    return params.write();
  }
  return json::write_object("output_config", text_of("effort", level));
}

std::string gemini_effort(const ModelFacts& facts, std::string_view effort,
                          std::string_view level) {
  Object config;
  if (facts.thinking == Thinking::tokens) {
    const bool is_off = effort == "none" && !facts.off.empty();
    config.add_integer("thinkingBudget", is_off ? 0 : tokens_for(level));
  } else {
    config.add_string("thinkingLevel", level);
  }
  return json::write_object("generationConfig",
                            json::write_object("thinkingConfig", config.write()));
}

// docs.ollama.com/capabilities/thinking: gpt-oss takes levels, the others true or false.
std::string ollama_effort(std::string_view model, std::string_view effort, std::string_view level) {
  if (effort == "none") return json::write_object("think", "false");
  if (model.starts_with("gpt-oss")) return text_of("think", level);
  return json::write_object("think", "true");
}

}  // namespace

std::optional<std::int64_t> thinking_budget(std::int64_t wanted, std::int64_t max_tokens) {
  // platform.claude.com/docs/en/build-with-claude/extended-thinking
  constexpr std::int64_t kLeast = 1'024;
  const std::int64_t budget = std::min(wanted, max_tokens / 2);
  return budget < kLeast ? std::nullopt : std::optional(budget);
}

Result<std::string> default_params(const Profile& profile, std::string_view model,
                                   std::string_view given_text) {
  const json::Document document = TRY(json::parse(given_text.empty() ? "{}" : given_text));
  const Value given = document.root();
  if (!given.is_object()) {
    return invalid("the parameters of a call are not a JSON object",
                   R"(give them as {"max_tokens":1024})");
  }
  const ModelFacts facts = facts_of(model);
  Object params;
  switch (profile.wire) {
    case Wire::anthropic:
      add_anthropic(facts, given, params);
      break;
    case Wire::openai_responses:
      add_responses(facts, params);
      break;
    case Wire::gemini:
      add_gemini(facts, params);
      break;
    case Wire::openai_chat:
      // openrouter.ai/docs/guides/best-practices/prompt-caching ("automatic caching")
      if (is_openrouter(profile) && model.starts_with("anthropic/")) {
        params.add_json("cache_control", text_of("type", "ephemeral"));
      }
      break;
    case Wire::ollama:
      break;
  }
  return params.write();
}

Result<EffortParams> effort_params(const Profile& profile, std::string_view model,
                                   std::string_view effort) {
  if (!is_in(kEfforts, effort)) {
    return invalid(fmt::format("'{}' is not an effort", effort),
                   "give none, minimal, low, medium, high, xhigh or max");
  }
  const ModelFacts facts = facts_of(model);
  const bool turns_off = effort == "none" && (!facts.off.empty() || profile.wire == Wire::ollama);
  std::string_view level = effort;
  if (!facts.efforts.empty() && !turns_off) level = nearest(facts.efforts, effort);
  EffortParams result;
  if (facts.thinking == Thinking::none) {
    result.params = "{}";
    if (effort != "none") result.note = fmt::format("{} does not think", model);
    return result;
  }
  if (level != effort) {
    result.note = fmt::format("{} has no effort '{}': it is asked for '{}'", model, effort, level);
  }
  switch (profile.wire) {
    case Wire::anthropic:
      result.params = anthropic_effort(facts, effort, level);
      break;
    case Wire::openai_responses:
      result.params = json::write_object("reasoning", text_of("effort", level));
      break;
    case Wire::openai_chat:
      // openrouter.ai/docs/use-cases/reasoning-tokens; the others follow OpenAI.
      result.params = is_openrouter(profile)
                          ? json::write_object("reasoning", text_of("effort", level))
                          : text_of("reasoning_effort", level);
      break;
    case Wire::gemini:
      result.params = gemini_effort(facts, effort, level);
      break;
    case Wire::ollama:
      result.params = ollama_effort(model, effort, level);
      break;
  }
  return result;
}

}  // namespace spoor::llm
