#pragma once

#include <cstdint>
#include <optional>

#include "compile/facts_view.h"
#include "llm/money.h"
#include "llm/usage.h"

namespace spoor::agent {

/// Tokens and money; nothing where it is not known.
struct Cost {
  std::optional<std::uint64_t> input;  ///< with those that came out of a cache
  std::optional<std::uint64_t> output;
  std::optional<llm::Money> money;

  std::optional<std::uint64_t> tokens() const;
  bool is_known() const { return input || output || money; }
};
void add(Cost& sum, const Cost& more);

/// What the meta of a turn says that it took: our own counts in `tokens`; else what the provider's
/// own object says, in `usage` (llm/source_usage.h).
llm::Usage read_usage(const compile::FactsView& facts);

/// The money likewise, for a turn that may not have been a model's.
std::optional<llm::Money> read_money(const compile::FactsView& facts);

/// All tokens of a request, with those that came out of a cache or went into it.
std::optional<std::uint64_t> request_tokens(const llm::Usage& usage);

/// The fact `tokens` of a turn.
llm::Usage read_tokens(const json::Value& tokens);

}  // namespace spoor::agent
