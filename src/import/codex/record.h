#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

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

/// Sets the author of an input item: the user, another agent, or none if the program added the
/// item, which is the fact `injected`.
void name_giver(const json::Value& item, compile::Turn& turn, TurnRecord& made);

/// Makes the turn of an item a summary. A summary has no fields; their values stay in the item.
void make_summary(const json::Value& item, compile::Turn& turn);

// Codex writes most texts twice: as an item, and as an event for its user interface.

/// The last texts of the model or the user. Events are compared with them.
class RecentTexts {
 public:
  void add(std::string text);
  bool has(std::string_view text) const;

 private:
  static constexpr std::size_t kMost = 8;
  std::deque<std::string> texts_;
};

/// Returns true if `event` is of a type that usually precedes the item with the same text.
bool announces(const json::Value& event);

std::string text_of_event(const json::Value& event);

/// Returns true if the record `root` holds nothing but an event's text, its time and the phase of
/// `item`, which may be missing.
bool has_text_only(const json::Value& root, const json::Value& item);

/// Returns the texts of a message's or a reasoning's parts, and all of them joined.
std::vector<std::string> texts_of_item(const json::Value& item);

/// Returns true if Codex itself added `text` to the prompt, under the role `user`.
bool is_injected(std::string_view text);

/// Returns true if an event of this type always ends the model's answer.
bool ends_answer(std::string_view type);

/// Returns whether an event of this type begins or completes a turn: Codex reads two names of each.
inline bool begins_turn(std::string_view type) {
  return type == "task_started" || type == "turn_started";
}
inline bool completes_turn(std::string_view type) {
  return type == "task_complete" || type == "turn_complete";
}

}  // namespace spoor::import::codex
