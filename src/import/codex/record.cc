#include "import/codex/record.h"

#include <algorithm>
#include <array>

#include "import/codex/events.h"
#include "store/commit.h"

namespace spoor::import::codex {

bool is_enveloped(const json::Value& root) {
  return root.find("type").is_string() && root.find("payload").is_object() &&
         (root.find("timestamp").is_string() || is_known_type(root.find("type")));
}

bool is_known_type(const json::Value& type) {
  constexpr std::array<std::string_view, 8> kTypes = {
      "session_meta", "response_item", "event_msg",          "turn_context",
      "compacted",    "world_state",   "token_usage_record", "inter_agent_communication_metadata"};
  return std::find(kTypes.begin(), kTypes.end(), type.text()) != kTypes.end();
}

bool is_bare_head(const json::Value& root) {
  return !root.find("type") && root.find("id").is_string() && root.find("timestamp").is_string() &&
         root.find("instructions");
}

bool is_sound(const json::Value& root) {
  return is_enveloped(root) && is_known_type(root.find("type")) &&
         root.find("timestamp").is_string();
}

void name_giver(const json::Value& item, compile::Turn& turn, TurnRecord& made) {
  if (item.find("type").equals("agent_message")) {
    const std::string author = item.find("author").text();
    if (store::is_author(author)) turn.author = author;
  } else if (is_injected(turn.text)) {
    made.flag(fact::injected);
  } else {
    turn.author = "user";
  }
}

void make_summary(const json::Value& item, compile::Turn& turn) {
  turn.type = compile::Type::summary;
  if (turn.fields == compile::Fields()) return;
  turn.fields = {};
  if (turn.raw.empty()) turn.raw.push_back({std::string(item.raw())});
}

}  // namespace spoor::import::codex
