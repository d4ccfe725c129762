#pragma once

#include <cstdint>
#include <optional>

#include "compile/facts_view.h"
#include "llm/money.h"
#include "llm/usage.h"

namespace spoor::agent {

/// Tokens and money; nullopt if unknown.
struct TokenCost {
  std::optional<std::uint64_t> input;  ///< including cached tokens
  std::optional<std::uint64_t> output;
  std::optional<llm::Money> money;

  std::optional<std::uint64_t> tokens() const;
  bool is_known() const { return input || output || money; }
};
void add(TokenCost& sum, const TokenCost& more);

/// Returns the usage recorded in a turn's meta: our own counts in `tokens`, else those in the
/// provider's own object in `usage` (llm/source_usage.h).
llm::Usage read_usage(const compile::FactsView& facts);

/// Returns the cost only. Use it for turns that no model produced.
std::optional<llm::Money> read_money(const compile::FactsView& facts);

/// Returns all tokens of a request, including tokens read from or written to a cache.
std::optional<std::uint64_t> request_tokens(const llm::Usage& usage);

/// Reads the fact `tokens` of a turn.
llm::Usage read_tokens(const json::Value& tokens);

}  // namespace spoor::agent
