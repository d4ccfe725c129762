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

// The longest matching pattern wins. Limits and parameters as the providers state them:
//   2026-11, platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting, …/effort,
//     …/about-claude/models/overview, and the migration guides of 4.7, 5 and 5.5
//   2026-11, developers.openai.com/api/docs/guides/reasoning and its pages of models
//   2026-11, ai.google.dev/gemini-api/docs/thinking, …/docs/models
constexpr std::array kRows = {
    Row{"claude-*", {200'000, 128'000, false, Thinking::hidden, kAll, {}}},
    Row{"claude-2*", {100'000, 4'096, true, Thinking::none, {}, {}}},
    Row{"claude-instant*", {100'000, 4'096, true, Thinking::none, {}, {}}},
    Row{"claude-fable-5*", {kMillion, 128'000, false, Thinking::hidden, kAll, {}}},
    Row{"claude-mythos*", {kMillion, 128'000, false, Thinking::hidden, kAll, {}}},
    Row{"claude-opus-5-5*", {kMillion, 128'000, false, Thinking::hidden, kAll, {}}},
    Row{"claude-opus-5", {kMillion, 128'000, false, Thinking::hidden, kAll, kDisabled}},
    Row{"claude-opus-4-8*", {kMillion, 128'000, false, Thinking::hidden, kAll, kDisabled}},
    Row{"claude-opus-4-7*", {kMillion, 128'000, false, Thinking::hidden, kAll, kDisabled}},
    Row{"claude-opus-4-6*", {kMillion, 128'000, true, Thinking::adaptive, kToMax, kDisabled}},
    Row{"claude-opus-4-5*", {200'000, 64'000, true, Thinking::budget, kToHigh, kDisabled}},
    Row{"claude-opus-4*", {200'000, 32'000, true, Thinking::budget, {}, kDisabled}},
    Row{"claude-sonnet-5-5*", {kMillion, 128'000, false, Thinking::hidden, kAll, "between_tools"}},
    Row{"claude-sonnet-5", {kMillion, 128'000, false, Thinking::hidden, kAll, kDisabled}},
    Row{"claude-sonnet-4-6*", {kMillion, 64'000, true, Thinking::adaptive, kToMax, kDisabled}},
    Row{"claude-sonnet-4*", {200'000, 64'000, true, Thinking::budget, {}, kDisabled}},
    Row{"claude-haiku-5-5*", {kMillion, 128'000, false, Thinking::hidden, kAll, kDisabled}},
    Row{"claude-haiku-4-5*", {200'000, 64'000, true, Thinking::budget, {}, kDisabled}},
    Row{"claude-3-7-sonnet*", {200'000, 64'000, true, Thinking::budget, {}, kDisabled}},
    Row{"claude-3-5-*", {200'000, 8'192, true, Thinking::none, {}, {}}},
    Row{"claude-3-haiku*", {200'000, 4'096, true, Thinking::none, {}, {}}},
    Row{"claude-3-opus*", {200'000, 4'096, true, Thinking::none, {}, {}}},
    Row{"claude-3-sonnet*", {200'000, 4'096, true, Thinking::none, {}, {}}},

    Row{"gpt-*", {kGpt5Context, 128'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"gpt-6*", {kGpt54Context, 128'000, false, Thinking::reasoning, kAll, {}}},
    Row{"gpt-5.6*",
        {kGpt54Context, 128'000, false, Thinking::reasoning, "none low medium high xhigh max", {}}},
    Row{"gpt-5.5*",
        {kGpt54Context, 128'000, false, Thinking::reasoning, "none low medium high xhigh", {}}},
    Row{"gpt-5.4*",
        {kGpt54Context, 128'000, false, Thinking::reasoning, "none low medium high xhigh", {}}},
    Row{"gpt-5.4-mini*",
        {kGpt5Context, 128'000, false, Thinking::reasoning, "none low medium high xhigh", {}}},
    Row{"gpt-5.4-nano*",
        {kGpt5Context, 128'000, false, Thinking::reasoning, "none low medium high xhigh", {}}},
    Row{"gpt-5.3-codex*",
        {kGpt5Context, 128'000, false, Thinking::reasoning, "low medium high xhigh", {}}},
    Row{"gpt-5.2*",
        {kGpt5Context, 128'000, false, Thinking::reasoning, "none low medium high xhigh", {}}},
    Row{"gpt-5.1*",
        {kGpt5Context, 128'000, false, Thinking::reasoning, "none low medium high", {}}},
    Row{"gpt-5.1-codex-max*",
        {kGpt5Context, 128'000, false, Thinking::reasoning, "none low medium high xhigh", {}}},
    Row{"gpt-5*",
        {kGpt5Context, 128'000, false, Thinking::reasoning, "minimal low medium high", {}}},
    Row{"gpt-5-codex*", {kGpt5Context, 128'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"gpt-5-pro*", {kGpt5Context, 272'000, false, Thinking::reasoning, "high", {}}},
    Row{"gpt-5*-chat*", {128'000, 16'384, true, Thinking::none, {}, {}}},
    Row{"o1*", {200'000, 100'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"o3*", {200'000, 100'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"o4-mini*", {200'000, 100'000, false, Thinking::reasoning, kToHigh, {}}},
    Row{"gpt-4.1*", {1'047'576, 32'768, true, Thinking::none, {}, {}}},
    Row{"gpt-4o*", {128'000, 16'384, true, Thinking::none, {}, {}}},
    Row{"chatgpt-4o*", {128'000, 16'384, true, Thinking::none, {}, {}}},
    Row{"gpt-4.5*", {128'000, 16'384, true, Thinking::none, {}, {}}},
    Row{"gpt-4-turbo*", {128'000, 4'096, true, Thinking::none, {}, {}}},
    Row{"gpt-4-1106*", {128'000, 4'096, true, Thinking::none, {}, {}}},
    Row{"gpt-4-0125*", {128'000, 4'096, true, Thinking::none, {}, {}}},
    Row{"gpt-4*", {8'192, 4'096, true, Thinking::none, {}, {}}},
    Row{"gpt-3.5*", {16'385, 4'096, true, Thinking::none, {}, {}}},
    // Open weights; what serves them decides on the limits.
    Row{"gpt-oss*", {0, 0, true, Thinking::unknown, kToHigh, {}}},

    Row{"gemini-*", {kGeminiContext, 65'536, true, Thinking::level, kToHigh, {}}},
    Row{"gemini-4-hydrogen*",
        {kGeminiContext, 65'536, false, Thinking::level, "low medium high xhigh", {}}},
    Row{"gemini-3-flash*",
        {kGeminiContext, 65'536, true, Thinking::level, "minimal low medium high", {}}},
    Row{"gemini-3-pro*", {kGeminiContext, 65'536, true, Thinking::level, "low high", {}}},
    Row{"gemini-3.1-flash-lite*",
        {kGeminiContext, 65'536, true, Thinking::level, "minimal low medium high", {}}},
    Row{"gemini-2.5-*", {kGeminiContext, 65'536, true, Thinking::tokens, kToHigh, kDisabled}},
    Row{"gemini-2.5-pro*", {kGeminiContext, 65'536, true, Thinking::tokens, kToHigh, {}}},
    Row{"gemini-2.0-*", {kGeminiContext, 8'192, true, Thinking::none, {}, {}}},
    Row{"gemini-1.5-*", {kGeminiContext, 8'192, true, Thinking::none, {}, {}}},
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
