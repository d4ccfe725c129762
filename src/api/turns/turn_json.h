#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/json_writer.h"
#include "api/turns/turn_marks.h"
#include "api/turns/turn_view.h"
#include "graph/diff.h"

namespace spoor::api {

/// Writes the entry of `log --json` for one commit as the next value (docs/cli-json.md).
void write_entry(JsonWriter& json, const TurnView& view, const Marks& marks,
                 const TokenCount& tokens, const std::vector<std::string>& refs);

/// Writes the output of `show --json`: all members above and all other data of the commit.
void write_commit(JsonWriter& json, const TurnView& view, const Marks& marks,
                  const TokenCount& tokens, const std::vector<std::string>& refs);

/// Writes `[{id, name, arguments}]` as the next value, with arguments as the provider's text.
void write_calls(JsonWriter& json, const std::vector<compile::ToolCall>& calls);

/// Writes a member `[{hash, media_type}]`.
void write_contents(JsonWriter& json, std::string_view name,
                    const std::vector<store::Content>& contents);

/// Writes a message of a prompt as the next value.
void write_message(JsonWriter& json, const compile::Message& message);

/// Writes an entry of a prompt's left_out as the next value.
void write_left_out(JsonWriter& json, const compile::LeftOut& left_out);

/// Writes a prompt's members, without its messages: commit, hash, tokens, left_out, … With `last`
/// at most so many entries of left_out, the newest, and how many there are by their reason.
void write_prompt_facts(JsonWriter& json, const compile::Prompt& prompt,
                        std::optional<std::uint64_t> last = {});

/// Writes a prompt with its messages as the next value: the document of `compile --json`.
void write_prompt(JsonWriter& json, const compile::Prompt& prompt);

/// Writes the member `messages`: all, or the last so many.
void write_messages(JsonWriter& json, const compile::Prompt& prompt,
                    std::optional<std::uint64_t> last = {});

/// Writes a compared pair of prompts as the next value.
void write_diff(JsonWriter& json, const std::optional<Oid>& from, const std::optional<Oid>& to,
                const graph::PromptDiff& diff, bool tokens_estimated);

/// Returns the tokens that one change adds to a prompt; negative if it removes tokens.
std::int64_t token_delta(const graph::MessageChange& change);

}  // namespace spoor::api
