#pragma once

#include <optional>
#include <string_view>

namespace spoor::llm::wire {

// Anthropic's models and the thinking blocks that each of them reads, on the Claude API.
// platform.claude.com/docs/en/build-with-claude/preserved-thinking (2026-11)

/// Returns whether the model `reader` reads the thinking blocks of the model `maker`; nullopt if
/// the provider does not say, as for two earlier models or for one that is not known yet.
std::optional<bool> reads_thinking(std::string_view reader, std::string_view maker);

/// Returns false for models before Fable 5.1, Opus 5.5, Sonnet 5.5 and Haiku 5.5, which do not
/// compare what precedes a block. True for unknown models: all later ones compare it.
bool checks_prefix(std::string_view model);

/// Returns true if only the account that got the model's blocks can send them back.
bool binds_to_account(std::string_view maker);

}  // namespace spoor::llm::wire
