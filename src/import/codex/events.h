#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "import/turn_record.h"

namespace spoor::import::codex {

// Codex writes most texts twice: as an item, and as an event for its user interface.

/// The texts that the model or the user said last: events are compared with them.
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

/// Returns true if Codex itself put `text` in front of the model, under the role `user`.
bool is_injected(std::string_view text);

/// Returns true if no answer of the model goes on after an event of this type.
bool ends_answer(std::string_view type);

}  // namespace spoor::import::codex
