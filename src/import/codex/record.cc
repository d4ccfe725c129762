#include "import/codex/record.h"

#include <algorithm>
#include <utility>

#include "import/names.h"
#include "store/commit.h"

namespace spoor::import::codex {

bool is_enveloped(const json::Value& root) {
  return root.find("type").is_string() && root.find("payload").is_object() &&
         (root.find("timestamp").is_string() || is_known_type(root.find("type")));
}

bool is_known_type(const json::Value& type) {
  constexpr std::string_view kTypes =
      "session_meta response_item event_msg turn_context compacted world_state token_usage_record "
      "inter_agent_communication_metadata";
  return is_one_of(type.text(), kTypes);
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

void RecentTexts::add(std::string text) {
  texts_.push_back(std::move(text));
  if (texts_.size() > kMost) texts_.pop_front();
}

bool RecentTexts::has(std::string_view text) const {
  return std::find(texts_.begin(), texts_.end(), text) != texts_.end();
}

bool announces(const json::Value& event) {
  return event.find("type").equals("agent_message") || event.find("type").equals("agent_reasoning");
}

std::string text_of_event(const json::Value& event) {
  const json::Value message = event.find("message");
  return message ? message.text() : event.find("text").text();
}

bool has_text_only(const json::Value& root, const json::Value& item) {
  const json::Value event = root.find("payload");
  const std::string text = text_of_event(event);
  for (const json::Member& member : root.members()) {
    const std::string key = member.key.text();
    const bool is_known = key == "type" || key == "payload" ||
                          (key == "timestamp" && time_of(member.value)) ||
                          says_nothing(member.value);
    if (!is_known) return false;
  }
  for (const json::Member& member : event.members()) {
    const std::string key = member.key.text();
    const bool is_known = key == "type" || says_nothing(member.value) ||
                          ((key == "message" || key == "text") && member.value.equals(text)) ||
                          (key == "phase" && member.value.equals(item.find("phase").text())) ||
                          (key == "kind" && member.value.equals("plain"));
    if (!is_known) return false;
  }
  return true;
}

std::vector<std::string> texts_of_item(const json::Value& item) {
  const json::Value parts =
      item.find("type").equals("reasoning") ? item.find("summary") : item.find("content");
  std::vector<std::string> said;
  std::string whole;
  for (const json::Value& part : parts.elements()) {
    said.push_back(part.find("text").text());
    whole += said.back();
  }
  said.push_back(std::move(whole));
  return said;
}

bool is_injected(std::string_view text) {
  if (text.starts_with("# AGENTS.md instructions")) return true;
  constexpr std::array<std::string_view, 8> kTags = {
      "<environment_context>", "<user_instructions>",     "<turn_aborted>",
      "<user_shell_command>",  "<subagent_notification>", "<skill>",
      "<INSTRUCTIONS>",        "<recommended_plugins>"};
  return std::any_of(kTags.begin(), kTags.end(),
                     [&](std::string_view tag) { return text.starts_with(tag); });
}

bool ends_answer(std::string_view type) {
  constexpr std::string_view kTypes =
      "task_started task_complete turn_started turn_complete turn_aborted thread_rolled_back "
      "user_message context_compacted error stream_error";
  return is_one_of(type, kTypes);
}

}  // namespace spoor::import::codex
