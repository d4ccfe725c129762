#pragma once

#include "import/turn_record.h"

namespace spoor::import::codex {

// The records of a rollout, as written by Codex 0.2 to 0.147.
//
// Source: github.com/openai/codex, codex-rs/protocol/src/protocol.rs (`RolloutItem`).

/// Returns true for a line with an envelope: `{"timestamp", "type", "payload"}`, of any type.
bool is_enveloped(const json::Value& root);

/// Returns true if Codex is known to write an envelope of this type.
bool is_known_type(const json::Value& type);

/// Returns true for the first line of a rollout without envelopes.
bool is_bare_head(const json::Value& root);

/// Returns true if `root` is surely a record: an envelope of a known type.
bool is_sound(const json::Value& root);

/// Sets who gave an item to the model: the user, another agent, or nobody, for what the program put
/// in, which is `injected`.
void name_giver(const json::Value& item, compile::Turn& turn, TurnRecord& made);

/// Makes the turn of an item a summary. A summary has no fields; what they said stays in the item.
void make_summary(const json::Value& item, compile::Turn& turn);

}  // namespace spoor::import::codex
