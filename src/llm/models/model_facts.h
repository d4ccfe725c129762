#pragma once

#include <cstdint>
#include <string_view>

namespace spoor::llm {

/// How a model is asked to think, and to show it.
enum class Thinking {
  unknown,    ///< nothing is sent; the provider's default
  none,       ///< the model does not think
  adaptive,   ///< `thinking.type` adaptive, with `output_config.effort` (Claude 4.6)
  hidden,     ///< the same, but its text is only sent if `thinking.display` asks (from 4.7)
  budget,     ///< `thinking.type` enabled, with `budget_tokens` (Claude up to 4.5)
  reasoning,  ///< `reasoning` of the Responses API, `reasoning_effort` of chat completions
  level,      ///< `thinkingConfig.thinkingLevel` (Gemini from 3)
  tokens,     ///< `thinkingConfig.thinkingBudget` (Gemini 2.5)
};

/// The parameters and limits of a model, as its provider states them. A value type.
struct ModelFacts {
  std::int64_t context = 0;     ///< tokens of a request and its answer together; 0: unknown
  std::int64_t max_output = 0;  ///< tokens of an answer, its thinking included; 0: unknown
  bool takes_sampling = true;   ///< `temperature`, `top_p` and `top_k` may differ from the default
  Thinking thinking = Thinking::unknown;
  std::string_view efforts = {};  ///< the levels of effort, lowest first, separated by blanks
  /// The `thinking.type` that turns thinking off (Claude); empty: it cannot be turned off.
  std::string_view off = {};

  bool operator==(const ModelFacts&) const = default;
};

/// Returns what is known of a model by its name, with or without a gateway's path, a cloud's prefix
/// or a date: `claude-opus-5-5`, `anthropic/claude-opus-5.5`, `us.anthropic.claude-opus-4-6-v1`,
/// `gpt-5.2-2025-12-11`. A model that is newer than the table is taken for the newest of its
/// family, but with a smaller context; other unknown names have no facts.
/// model_facts.cc has sources and dates.
ModelFacts facts_of(std::string_view model);

/// Returns how many tokens, by this program's estimate, a prompt may have so that an answer of
/// usual length fits beside it; 0 if the context is unknown.
std::int64_t prompt_tokens(const ModelFacts& facts);

}  // namespace spoor::llm
