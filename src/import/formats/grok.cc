#include "import/importers.h"

#include <string>

#include "import/content.h"
#include "import/head.h"
#include "import/live_import.h"
#include "import/records.h"
#include "import/responses_item.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

bool is_grok_item(const json::Value& record) {
  const std::string type = record.find("type").text();
  const json::Value content = record.find("content");
  if (type == "system") return content.is_string() && record.size() == 2;
  if (record.find("role") || record.find("message") || record.find("uuid")) return false;
  if (type == "user") return content.is_array();
  if (type == "assistant") return content.is_string();
  if (type == "tool_result") return content.is_string() && record.find("tool_call_id").is_string();
  if (type == "reasoning") return record.find("summary").is_array();
  return type == "backend_tool_call" && record.find("kind").is_object();
}

/// Takes the pictures of a message. Each is a data URL: `{"type":"image","url":"data:…"}`.
void take_grok_pictures(const json::Value& parts, Turn& turn, Taken& taken) {
  for (const json::Value& part : parts.elements()) {
    const bool is_image = part.find("type").equals("image");
    if (is_image && attach_picture(part.find("url"), turn, taken)) taken(part, "type");
  }
}

class GrokSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    const std::string type = root.find("type").text();
    TurnRecord made(root, tool());
    if (type == "assistant" || type == "reasoning" || type == "backend_tool_call") {
      make_answer(type, made);
    } else {
      make_input(type, made);
    }
    if (!made.has_turns()) return keep(root, label_of(type), false);
    made.taken()(root, "type");
    return add_turns(made, label_of(type));
  }

 private:
  void make_input(const std::string& type, TurnRecord& made) {
    const json::Value content = made.root().find("content");
    Taken& taken = made.taken();
    if (type == "system") {
      say(Type::system, content, made);
    } else if (type == "user") {
      make_user(content, made);
    } else if (type == "tool_result") {
      Turn& turn = made.start_result(made.root(), "tool_call_id");
      turn.text = take_content(content, turn, taken);
      take_grok_pictures(made.root().find("images"), turn, taken);
    }
    if (made.has_turns()) message_.clear();
  }

  /// Makes a user turn: typed, also while the model was at work, or added by the program.
  void make_user(const json::Value& content, TurnRecord& made) {
    const json::Value reason = made.root().find("synthetic_reason");
    Turn& turn = say(Type::user, content, made);
    take_grok_pictures(content, turn, made.taken());
    const bool is_typed = says_nothing(reason) ? !turn.text.starts_with("<user_info>")
                                               : reason.equals("interjection");
    made.fact(fact::origin, reason);
    made.fact(fact::prompt_index, made.root().find("prompt_index"));
    if (!is_typed) return made.flag(fact::injected);
    turn.author = "user";
    if (writer().session().empty()) {
      writer().name_session(RecordKey::of(made.root().raw()).hex(8));
    }
  }

  /// Makes an item of an answer. Reasonings and hosted calls come before the answer's message.
  void make_answer(const std::string& type, TurnRecord& made) {
    const json::Value root = made.root();
    const bool ends = type == "assistant";
    if (message_.empty() && !ends) message_ = name_answer(root);
    made.made_fact_text(fact::message_id, message_);
    if (type == "reasoning" && root.find("role")) return;  // As an item it would be a message.
    if (type == "reasoning") return add_item_turn(root, made);
    Turn& turn = made.start(Type::assistant);
    if (!ends) return;  // A hosted call is kept unchanged: it has no result.
    message_.clear();
    Taken& taken = made.taken();
    turn.text = take_content(root.find("content"), turn, taken);
    for (const json::Value& call : root.find("tool_calls").elements()) {
      add_tool_call(turn, take_call(call, "id", "name", "arguments", taken));
    }
    const json::Value model = root.find("model_id");
    made.set_model(model);
    made.made_fact(fact::model_fingerprint, root.find("model_fingerprint"));
    made.made_fact(fact::effort, root.find("reasoning_effort"));
  }

  /// Returns a name for an answer, which has none: that of its first item.
  std::string name_answer(const json::Value& first) {
    const json::Value id = first.find(first.find("kind") ? "kind" : "id");
    std::string name = id.is_object() ? id.find("id").text() : id.text();
    if (name.empty() || name.size() > 128) name = "item-" + record_number();
    return name;
  }

  std::string message_;  // The current answer's name; empty between answers.
};

int score_grok(const Head& head) {
  const auto& records = head.records();
  if (records.size() < 2 || !records[0].find("type").equals("system")) return score::kNone;
  return is_grok_item(records[0]) && is_grok_item(records[1]) ? score::kOwn : score::kNone;
}

}  // namespace

/// Reads the chat histories of Grok CLI (`chat_history.jsonl`): the items of a conversation, one
/// per line. They contain neither times nor the session's name.
///
/// Source: `ConversationItem` in crates/codegen/xai-grok-sampling-types/src/conversation.rs of Grok
/// Build, as in its forks (github.com/farchanjo/grok-build).
const Importer kGrok = {"grok", "Grok CLI", score_grok, import_lines_into<GrokSink, is_grok_item>,
                        open_lines<GrokSink, is_grok_item>};

}  // namespace spoor::import::formats
