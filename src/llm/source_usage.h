#pragma once

#include <optional>
#include <string_view>

#include "base/json/reader.h"
#include "compile/facts_view.h"
#include "llm/money.h"
#include "llm/usage.h"

namespace spoor::llm {

/// The usage that a provider's or an agent's own object reports for an answer.
struct SourceUsage {
  Usage usage;
  std::optional<Money> cost;  ///< as computed by the source; most sources have none
};

/// Parses the `usage` object of an imported turn. Recognizes the writer by the names of its members
/// (docs/importing.md, "Tokens"). Any other object gives an empty result.
SourceUsage read_source_usage(const json::Value& usage);

/// How reliable the counts of an answer are.
enum class UsageTrust {
  reported,   ///< the provider's or the agent's final counts
  partial,    ///< the request is counted, the reply is not: counts from the start of a stream
  estimated,  ///< computed, not counted. No source is known to store such counts
  unknown     ///< no counts
};

/// Returns the trust of the counts in one turn's facts: `tokens` of spoor's own turns, else
/// `usage`. Claude Code copies the usage of the stream's first event to every record of an answer;
/// only a record with a stop reason (`finish_reason`) has the final counts, so its usage without
/// one is partial. If several turns of one `message_id` have usage, pass the last.
UsageTrust usage_trust(const compile::FactsView& facts);

/// Returns the name of a trust as in JSON output.
std::string_view name_of(UsageTrust trust);

}  // namespace spoor::llm
