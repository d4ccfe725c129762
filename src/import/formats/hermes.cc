#include "import/importers.h"
#include "import/records.h"

#include <utility>

#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

/// Hermes does not store the provider's message: its text is trimmed, and items of the Responses
/// API are separate.
constexpr ChatStyle kHermesStyle{};

class HermesSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (!root.find("messages").is_array()) return add_line(root);
    const json::Value messages = root.find("messages");
    begin(root.find("session_id").text(), messages);
    is_transcript_ = false;
    model_ = root.find("model").text();
    cwd_ = root.find("cwd").text();
    if (cwd_.empty()) cwd_ = root.find("model_config").find("cwd").text();
    Taken taken;
    taken(messages);
    const json::Value system = taken(root, "system_prompt");
    const json::Value first = first_of(messages);
    const bool is_said_again =
        first.find("role").equals("system") && first.find("content").equals(system.text());
    if (!is_said_again) TRY(add_system(system));
    TRY(for_each(messages, [&](const json::Value& message) { return add_one(message); }));
    return keep_rest(root, taken, "session");
  }

 private:
  /// Adds a line of a transcript.
  Result<void> add_line(const json::Value& root) {
    if (!std::exchange(is_transcript_, true)) {  // It is named by its head, which includes a time.
      begin_unnamed(root);
      model_.clear();
      cwd_.clear();
    }
    if (root.find("role").equals("session_meta")) model_ = root.find("model").text();
    return add_one(root);
  }

  Result<void> add_one(const json::Value& message) {
    if (!message.find("role").equals("session_meta")) return add_message(message, kHermesStyle);
    return keep(message, "session_meta", true, time_of(message.find("timestamp")));
  }

  void add_facts(const json::Value& message, TurnRecord& made) override {
    ConversationSink::add_facts(message, made);
    made.fact_text(fact::cwd, cwd_);
    made.last_fact(fact::finish_reason, message.find("finish_reason"));
    const json::Value model = message.find("model");
    const bool is_named = model.is_string() && !says_nothing(model);
    if (!is_named) made.made_fact_text(fact::model, model_);
    const json::Value role = message.find("role");
    if (role.equals("assistant")) made.set_author(is_named ? model.text() : model_);
    if (role.equals("user")) made.set_author("user");
  }

  void complete(TurnRecord& made) override {
    const json::Value message = made.root();
    if (message.find("role").equals("assistant")) {
      take_repeated(message, made);
      add_items(message.find("codex_reasoning_items"), made);
    }
    Turn& turn = made.turns().front();
    if (turn.type != Type::tool) return;
    const json::Value name = message.find("tool_name");
    if (turn.fields.name.empty() || name.equals(turn.fields.name)) {
      turn.fields.name += turn.fields.name.empty() ? made.taken().text(name) : "";
      made.taken().text(name);
    }
  }

  /// Takes the same reasoning under its two names.
  static void take_repeated(const json::Value& message, TurnRecord& made) {
    const Turn& turn = made.turns().front();
    if (turn.type != Type::reasoning) return;
    for (const std::string_view key : {"reasoning_content", "reasoning"}) {
      const json::Value text = message.find(key);
      if (text.equals(turn.text)) made.taken()(text);
    }
  }

  /// Adds items of the Responses API, unchanged. Their summaries are the reasoning.
  static void add_items(const json::Value& items, TurnRecord& made) {
    for (const json::Value& item : items.elements()) {
      if (!item.find("type").equals("reasoning")) continue;
      std::vector<Turn>& turns = made.turns();
      if (turns.front().type != Type::reasoning) {
        turns.insert(turns.begin(), Turn{.type = Type::reasoning});
      }
      turns.front().fields.format = "responses";
      turns.front().raw.push_back({std::string(item.raw())});
      made.taken()(item);
    }
  }

  bool is_transcript_ = false;  // The last record was a line of a transcript.
  std::string model_;
  std::string cwd_;
};

bool is_hermes_session(const json::Value& root) {
  const json::Value messages = root.find("messages");
  // The tools come before the messages and may fill the head.
  const bool has_messages = messages ? messages.is_array() : root.find("platform").is_string();
  return root.find("session_id").is_string() && root.find("session_start") &&
         root.find("last_updated") && has_messages;
}

bool is_hermes_head(const json::Value& record) {
  return record.find("role").equals("session_meta") &&
         (record.find("tools") || record.find("model") || record.find("platform"));
}

int score_hermes(const Head& head) {
  const bool is_one = is_hermes_session(head.first()) || head.contains(is_hermes_head);
  return is_one ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads sessions of Hermes Agent: a session's log (`~/.hermes/sessions/session_*.json`), or a
/// gateway's transcript with one message per line after one of the role `session_meta`.
///
/// Source: github.com/NousResearch/hermes-agent, run_agent.py (`_save_session_log`),
/// agent/codex_responses_adapter.py (`codex_reasoning_items`), gateway/run.py (`session_meta`).
const Importer kHermes = {"hermes", "Hermes Agent", score_hermes,
                          import_documents_into<HermesSink>};

}  // namespace spoor::import::formats
