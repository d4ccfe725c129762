#pragma once

#include <string>
#include <vector>

#include "api/json_writer.h"
#include "cli/marks.h"
#include "cli/turn_view.h"
#include "graph/diff.h"

namespace spoor::cli {

using api::JsonWriter;

/// What `log --json` says of one commit, as the next value (docs/cli-json.md).
void write_entry(JsonWriter& json, const TurnView& view, const Marks& marks,
                 const TokenCount& tokens, const std::vector<std::string>& refs);

/// What `show --json` says: all of the above and everything the commit holds.
void write_commit(JsonWriter& json, const TurnView& view, const Marks& marks,
                  const TokenCount& tokens, const std::vector<std::string>& refs);

/// `[{id, name, arguments}]` as the next value; arguments as the provider's text.
void write_calls(JsonWriter& json, const std::vector<compile::ToolCall>& calls);

/// A member `[{hash, media_type}]`.
void write_contents(JsonWriter& json, std::string_view name,
                    const std::vector<store::Content>& contents);

/// A message of a prompt as the next value.
void write_message(JsonWriter& json, const compile::Message& message);

/// A prompt's members, without its messages: commit, hash, tokens, left_out, …
void write_prompt_facts(JsonWriter& json, const compile::Prompt& prompt);

/// A compared pair of prompts as the next value.
void write_diff(JsonWriter& json, const std::optional<Oid>& from, const std::optional<Oid>& to,
                const graph::PromptDiff& diff, bool tokens_estimated);

/// Tokens that one change adds to a prompt, or takes from it.
std::int64_t token_delta(const graph::MessageChange& change);

}  // namespace spoor::cli
