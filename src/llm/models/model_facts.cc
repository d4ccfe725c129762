#include "llm/models/model_facts.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "llm/models/name_pattern.h"

namespace spoor::llm {
namespace {

struct Row {
  std::string_view pattern;
  ModelFacts facts;
};

constexpr std::string_view kToHigh = "low medium high";
constexpr std::string_view kToMax = "low medium high max";
constexpr std::string_view kAll = "low medium high xhigh max";
constexpr std::string_view kDisabled = "disabled";

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kGpt5Context = 400'000;
constexpr std::int64_t kGpt54Context = 1'050'000;
constexpr std::int64_t kGeminiContext = 1'048'576;

// From 4.7.
constexpr ModelFacts claude(std::string_view off) {
  return {kMillion, 128'000, false, Thinking::hidden, kAll, off};
}

// Up to 4.5.
constexpr ModelFacts claude_4(std::int64_t max_output) {
  return {200'000, max_output, true, Thinking::budget, {}, kDisabled};
}

constexpr ModelFacts gpt(std::int64_t context, std::string_view efforts) {
  return {context, 128'000, false, Thinking::reasoning, efforts, {}};
}

constexpr ModelFacts gemini(std::string_view efforts) {
  return {kGeminiContext, 65'536, true, Thinking::level, efforts, {}};
}

constexpr ModelFacts without_thinking(std::int64_t context, std::int64_t max_output) {
  return {context, max_output, true, Thinking::none, {}, {}};
}

// The longest matching pattern wins. Limits and parameters as the providers state them:
//   2026-11, platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting, …/effort,
//     …/about-claude/models/overview, and the migration guides of 4.7, 5 and 5.5
//   2026-11, developers.openai.com/api/docs/guides/reasoning and its pages of models
//   2026-11, ai.google.dev/gemini-api/docs/thinking, …/docs/models
constexpr std::array kRows = {
    Row{"claude-*", {200'000, 128'000, false, Thinking::hidden, kAll, {}}},
    Row{"claude-2*", without_thinking(100'000, 4'096)},
    Row{"claude-instant*", without_thinking(100'000, 4'096)},
    Row{"claude-fable-5*", claude({})},
    Row{"claude-mythos*", claude({})},
    Row{"claude-opus-5-5*", claude({})},
    Row{"claude-opus-5", claude(kDisabled)},
    Row{"claude-opus-4-8*", claude(kDisabled)},
    Row{"claude-opus-4-7*", claude(kDisabled)},
    Row{"claude-opus-4-6*", {kMillion, 128'000, true, Thinking::adaptive, kToMax, kDisabled}},
    Row{"claude-opus-4-5*", {200'000, 64'000, true, Thinking::budget, kToHigh, kDisabled}},
    Row{"claude-opus-4*", claude_4(32'000)},
    Row{"claude-sonnet-5-5*", claude("between_tools")},
    Row{"claude-sonnet-5", claude(kDisabled)},
    Row{"claude-sonnet-4-6*", {kMillion, 64'000, true, Thinking::adaptive, kToMax, kDisabled}},
    Row{"claude-sonnet-4*", claude_4(64'000)},
    Row{"claude-haiku-5-5*", claude(kDisabled)},
    Row{"claude-haiku-4-5*", claude_4(64'000)},
    Row{"claude-3-7-sonnet*", claude_4(64'000)},
    Row{"claude-3-5-*", without_thinking(200'000, 8'192)},
    Row{"claude-3-haiku*", without_thinking(200'000, 4'096)},
    Row{"claude-3-opus*", without_thinking(200'000, 4'096)},
    Row{"claude-3-sonnet*", without_thinking(200'000, 4'096)},

    Row{"gpt-*", gpt(kGpt5Context, kToHigh)},
    Row{"gpt-6*", gpt(kGpt54Context, kAll)},
    Row{"gpt-5.6*", gpt(kGpt54Context, "none low medium high xhigh max")},
    Row{"gpt-5.5*", gpt(kGpt54Context, "none low medium high xhigh")},
    Row{"gpt-5.4*", gpt(kGpt54Context, "none low medium high xhigh")},
    Row{"gpt-5.4-mini*", gpt(kGpt5Context, "none low medium high xhigh")},
    Row{"gpt-5.4-nano*", gpt(kGpt5Context, "none low medium high xhigh")},
    Row{"gpt-5.3-codex*", gpt(kGpt5Context, "low medium high xhigh")},
    Row{"gpt-5.2*", gpt(kGpt5Context, "none low medium high xhigh")},
    Row{"gpt-5.1*", gpt(kGpt5Context, "none low medium high")},
    Row{"gpt-5.1-codex-max*", gpt(kGpt5Context, "none low medium high xhigh")},
    Row{"gpt-5*", gpt(kGpt5Context, "minimal low medium high")},
    Row{"gpt-5-codex*", gpt(kGpt5Context, kToHigh)},
    Row{"gpt-5-pro*", {kGpt5Context, 272'000, false, Thinking::reasoning, "high", {}}},
    Row{"gpt-5*-chat*", without_thinking(128'000, 16'384)},
    Row{"o1*", {200'000, 100'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"o3*", {200'000, 100'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"o4-mini*", {200'000, 100'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"gpt-4.1*", without_thinking(1'047'576, 32'768)},
    Row{"gpt-4o*", without_thinking(128'000, 16'384)},
    Row{"chatgpt-4o*", without_thinking(128'000, 16'384)},
    Row{"gpt-4.5*", without_thinking(128'000, 16'384)},
    Row{"gpt-4-turbo*", without_thinking(128'000, 4'096)},
    Row{"gpt-4-1106*", without_thinking(128'000, 4'096)},
    Row{"gpt-4-0125*", without_thinking(128'000, 4'096)},
    Row{"gpt-4*", without_thinking(8'192, 4'096)},
    Row{"gpt-3.5*", without_thinking(16'385, 4'096)},
    // Open weights; what serves them decides on the limits.
    Row{"gpt-oss*", {0, 0, true, Thinking::unknown, kToHigh, {}}},

    Row{"gemini-*", gemini(kToHigh)},
    Row{"gemini-4-hydrogen*",
        {kGeminiContext, 65'536, false, Thinking::level, "low medium high xhigh", {}}},
    Row{"gemini-3-flash*", gemini("minimal low medium high")},
    Row{"gemini-3-pro*", gemini("low high")},
    Row{"gemini-3.1-flash-lite*", gemini("minimal low medium high")},
    Row{"gemini-2.5-*", {kGeminiContext, 65'536, true, Thinking::tokens, kToHigh, kDisabled}},
    Row{"gemini-2.5-pro*", {kGeminiContext, 65'536, true, Thinking::tokens, kToHigh, {}}},
    Row{"gemini-2.0-*", without_thinking(kGeminiContext, 8'192)},
    Row{"gemini-1.5-*", without_thinking(kGeminiContext, 8'192)},
};

// Returns the model's own name, in lower case: without a gateway's path (`anthropic/`), a cloud's
// prefix (`us.anthropic.`) and suffix (`@20260801`, `-v1:0`, `[1m]`, `:free`).
std::string own_name(std::string_view model) {
  std::string name = lowered(model.substr(model.rfind('/') + 1));
  if (name.starts_with("ft:")) name.erase(0, 3);  // OpenAI: a fine-tuned model.
  name.resize(std::min(name.find_first_of("@[:"), name.size()));
  const std::size_t claude = name.find("claude-");
  if (claude == std::string::npos) return name;
  name.erase(0, claude);
  std::ranges::replace(name, '.', '-');
  if (name.ends_with("-v1")) name.resize(name.size() - 3);
  return name;
}

}  // namespace

ModelFacts facts_of(std::string_view model) {
  const std::string name = own_name(model);
  const Row* best = nullptr;
  for (const Row& row : kRows) {
    if (best != nullptr && pattern_length(row.pattern) <= pattern_length(best->pattern)) continue;
    if (fits_name(row.pattern, name)) best = &row;
  }
  return best == nullptr ? ModelFacts() : best->facts;
}

std::int64_t prompt_tokens(const ModelFacts& facts) {
  constexpr std::int64_t kAnswer = 32'000;
  const std::int64_t most = facts.max_output > 0 ? facts.max_output : facts.context / 4;
  const std::int64_t answer = std::min(most, kAnswer);
  // An estimate of four bytes a token is too low for code and tables.
  return std::max<std::int64_t>(0, facts.context - answer) * 3 / 4;
}

}  // namespace spoor::llm
