#pragma once

#include <optional>
#include <string_view>

#include "base/json/reader.h"
#include "compile/facts_view.h"
#include "llm/money.h"
#include "llm/usage.h"

namespace spoor::llm {

/// What a provider's or an agent's own object says that an answer took.
struct SourceUsage {
  Usage usage;
  std::optional<Money> cost;  ///< as the source reckoned it; of most there is none
};

/// Reads the object that an imported turn has as `usage`, whoever wrote it: known by the names of
/// its members (docs/importing.md, "Tokens"). Nothing is known of any other.
SourceUsage read_source_usage(const json::Value& usage);

/// How far the counts of an answer can be believed.
enum class UsageTrust {
  reported,   ///< the provider's or the agent's final counts
  partial,    ///< the request is counted, the reply is not: counts from the start of a stream
  estimated,  ///< computed by somebody, not counted. No source is known to store such counts
  unknown     ///< nothing was counted
};

/// Returns the trust of the counts in one turn's facts: `tokens` of spoor's own turns, else
/// `usage`. Claude Code copies the usage of the stream's first event to every record of an answer;
/// only a record with a stop reason (`finish_reason`) has the final counts. So usage of Claude
/// Code's without one is partial. Where several turns of one `message_id` have usage, ask for the
/// last.
UsageTrust usage_trust(const compile::FactsView& facts);

/// Returns the name of a trust as JSON output has it.
std::string_view name_of(UsageTrust trust);

}  // namespace spoor::llm
