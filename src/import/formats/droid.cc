#include "import/importers.h"
#include "import/live_import.h"
#include "import/records.h"

#include <string>

#include "import/chat_message.h"
#include "import/head.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

constexpr std::string_view kDroidTypes =
    "session_start message todo_state compaction_state agent_turn_outcome session_end system "
    "tool_call tool_result reasoning completion error";

json::Value session_of(const json::Value& root) {
  const json::Value session = root.find("session_id");
  return session ? session : root.find("sessionId");
}

bool is_stored_start(const json::Value& root) {
  return root.find("type").equals("session_start") && root.find("id").is_string() &&
         (root.find("title") || root.find("cwd") || root.find("owner"));
}

/// Returns true for a record of a stream that only Droid writes.
bool is_streamed(const json::Value& root) {
  if (!session_of(root).is_string() || root.find("uuid")) return false;
  const std::string type = root.find("type").text();
  if (type == "message") return root.find("role").is_string() && root.find("text").is_string();
  if (type == "tool_call") return root.find("toolName").is_string() && root.find("parameters");
  if (type == "tool_result") return root.find("toolCallId") || root.find("toolId");
  return type == "completion" && root.find("finalText").is_string();
}

bool is_droid_record(const json::Value& root) {
  const std::string type = root.find("type").text();
  return is_stored_start(root) || is_streamed(root) ||
         (type == "message" && root.find("message").is_object() && root.find("id").is_string());
}

bool is_stream_type(std::string_view type) {
  return type == "reasoning" || type == "tool_call" || type == "tool_result" ||
         type == "completion";
}

class DroidSink final : public TreeSink {
 public:
  using TreeSink::TreeSink;

  Result<void> add(const json::Value& root) override {
    const std::string type = root.find("type").text();
    const json::Value message = root.find("message");
    const bool in_stream = is_stream_type(type) || (type == "message" && !message.is_object());
    learn(type, root);
    // In a stream a call and its result may have the same id.
    Link link =
        in_stream ? link_of(root, {}, {}) : link_of(root, root.find("id"), root.find("parentId"));
    if (type == "session_start") link.has_parent = true;  // The first message names it.
    const std::string role = message.find("role").text();
    const bool may_be_turn = in_stream || type == "message";
    if (is_repeated(link, may_be_turn)) return drop(root, label_of(type, role));
    TurnRecord made(root, tool());
    made.set_time(root.find("timestamp"));
    if (in_stream) {
      add_streamed(type, made, link);
    } else if (type == "message") {
      add_stored(message, role, made, link);
    } else if (type == "compaction_state") {
      add_summary(made);
    }
    const bool is_known = is_one_of(type, kDroidTypes);
    if (!made.has_turns()) return pass(root, label_of(type, role), is_known, link);
    add_facts(made);
    return add_turns(made, link);
  }

 private:
  void learn(const std::string& type, const json::Value& root) {
    writer().name_session(type == "session_start" ? root.find("id").text()
                                                  : session_of(root).text());
    if (type != "session_start" && type != "system") return;
    if (type == "session_start") is_subagent_ = root.find("callingSessionId").is_string();
    if (const json::Value cwd = root.find("cwd"); cwd.is_string()) cwd_ = cwd.text();
    if (const json::Value model = root.find("model"); model.is_string()) model_ = model.text();
  }

  void add_facts(TurnRecord& made) {
    const json::Value root = made.root();
    made.fact(fact::uuid, root.find("id"));
    made.fact_text(fact::session, writer().session());
    made.fact_text(fact::cwd, cwd_);
    if (session_of(root).equals(writer().session())) made.taken()(session_of(root));
    made.taken()(root, "type");
    made.taken()(root, "parentId");
  }

  // --- Stored sessions ------------------------------------------------------

  void add_stored(const json::Value& message, const std::string& role, TurnRecord& made,
                  Link& link) {
    const json::Value shown_to = message.find("visibility");
    // A hook writes an empty user message. Messages shown only to the user are not part of the
    // conversation.
    if (says_nothing(message.find("content")) || shown_to.equals("user_only")) return;
    if (role != "user" && role != "assistant" && role != "system") return;
    add_chat_turns(message, {}, made);
    if (role == "assistant") {
      link.kind = Link::Kind::reply;
      link.message_id = link.uuid;
      made.made_fact_text(fact::message_id, link.uuid);
      made.made_fact(fact::effort, message.find("reasoningEffort"));
      made.last_fact(fact::usage, message.find("usage"));
      made.last_fact(fact::finish_reason, message.find("stop_reason"));
      made.set_model(message.find(message.find("modelId") ? "modelId" : "model"), model_);
    }
    if (shown_to.equals("llm_only")) made.flag(fact::injected);
    // Text next to results may be the program's or the user's: it has no author.
    const bool is_result = !answers_in(made.turns()).empty();
    const bool by_user = !is_subagent_ && !shown_to.equals("llm_only") && !is_result;
    if (is_result) link.kind = Link::Kind::result;
    for (Turn& turn : made.turns()) {
      if (turn.type == Type::reasoning) turn.fields.format = "parsed";  // From various providers.
      if (turn.type != Type::user || !by_user) continue;
      turn.author = "user";
      link.kind = Link::Kind::user_written;
    }
  }

  /// Adds a summary. The source does not record which messages it replaces.
  static void add_summary(TurnRecord& made) {
    const json::Value summary = made.root().find("summaryText");
    if (!summary.is_string() || says_nothing(summary)) return;
    made.start(Type::summary).text = made.taken().text(summary);
  }

  // --- Streams --------------------------------------------------------------

  void add_streamed(const std::string& type, TurnRecord& made, Link& link) {
    const json::Value root = made.root();
    if (type == "message") {
      add_message(root, made, link);
    } else if (type == "reasoning") {
      add_thought(root, made, link);
    } else if (type == "tool_call") {
      add_call(root, made, link);
    } else if (type == "tool_result") {
      add_result(root, made, link);
    } else if (type == "completion") {
      add_completion(root, made, link);
    }
  }

  void add_message(const json::Value& root, TurnRecord& made, Link& link) {
    const std::string role = root.find("role").text();
    const json::Value text = root.find("text");
    if (!text.is_string()) return;
    if (role == "user") {
      link.kind = Link::Kind::user_written;
      said_.clear();
      made.start(Type::user).text = made.taken().text(text);
      made.set_author("user");
    } else if (role == "system") {
      made.start(Type::system).text = made.taken().text(text);
    } else if (role == "assistant") {
      link.kind = Link::Kind::reply;
      said_ = text.text();
      made.start(Type::assistant).text = made.taken().text(text);
      made.made_fact_text(fact::message_id, root.find("id").text());
      made.set_model(root.find("model"), model_);
    } else {
      return;
    }
    made.taken()(root, "role");
  }

  /// Adds a thought. Some versions write each one twice.
  void add_thought(const json::Value& root, TurnRecord& made, Link& link) {
    const json::Value text = root.find("text");
    const std::string id = word_of(root.find("id"));
    if (!text.is_string() || (!id.empty() && id == thought_id_ && text.equals(thought_))) return;
    thought_id_ = id;
    thought_ = text.text();
    link.kind = Link::Kind::reply;
    made.start_reasoning(text, "parsed");
    made.set_model(root.find("model"), model_);
  }

  /// Adds a call. `toolId` is the tool's name for the model, `toolName` its name for people.
  void add_call(const json::Value& root, TurnRecord& made, Link& link) {
    Taken& taken = made.taken();
    const std::string_view key = root.find("toolId").is_string() ? "toolId" : "toolName";
    add_tool_call(made.start(Type::assistant),
                  take_call(root, call_key(root), key, "parameters", taken));
    if (root.find("toolName").equals(root.find(key).text())) taken(root, "toolName");
    link.kind = Link::Kind::reply;
    made.made_fact(fact::message_id, root.find("messageId"));
    made.set_model(root.find("model"), model_);
  }

  static void add_result(const json::Value& root, TurnRecord& made, Link& link) {
    Taken& taken = made.taken();
    Turn& turn = made.start_result(root, call_key(root), "toolId", "isError");
    const json::Value value = root.find("value");
    if (says_nothing(value) && root.find("error").is_string()) {
      turn.text = taken.text(root, "error");
      turn.fields.is_error = true;
    } else if (value) {
      take_exit_code(value.find("exitCode"), turn, taken);
      turn.text = text_or_bytes(taken(value));
    }
    link.kind = Link::Kind::result;
  }

  static std::string_view call_key(const json::Value& root) {
    return root.find("toolCallId") ? "toolCallId" : "id";
  }

  /// Adds the final answer, which most versions repeat here. Its usage is that of the whole run.
  void add_completion(const json::Value& root, TurnRecord& made, Link& link) {
    const json::Value text = root.find("finalText");
    if (!text.is_string() || says_nothing(text) || text.equals(said_)) return;
    link.kind = Link::Kind::reply;
    said_ = text.text();
    made.start(Type::assistant).text = made.taken().text(text);
    made.set_model(root.find("model"), model_);
  }

  bool is_subagent_ = false;  // Called by another session.
  std::string cwd_, model_;
  std::string said_;                  // The model's last text,
  std::string thought_, thought_id_;  // and its last thought.
};

int score_droid(const Head& head) {
  const auto is_it = [](const json::Value& root) {
    return is_stored_start(root) || is_streamed(root);
  };
  return head.contains(is_it) ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads the files of Factory Droid: stored sessions (`~/.factory/sessions/**/*.jsonl`), whose
/// messages name their parents, and the output of `droid exec --output-format stream-json`. The
/// program that writes them is not public. Sources: docs.factory.ai/cli/droid-exec; the reader of
/// github.com/jazzyalex/agent-sessions, AgentSessions/Services/DroidSessionParser.swift.
const Importer kDroid = {"droid", "Droid", score_droid,
                         import_lines_into<DroidSink, is_droid_record>,
                         open_lines<DroidSink, is_droid_record>};

}  // namespace spoor::import::formats
