#include "import/importers.h"
#include "import/live_import.h"
#include "import/records.h"

#include <string>
#include <unordered_set>
#include <utility>

#include "base/find_text.h"
#include "import/content.h"
#include "import/gemini_parts.h"
#include "import/head.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

constexpr std::string_view kQwenSubtypes =
    "agent_bootstrap agent_launch_prompt agent_retry agent_session_ready at_command "
    "attribution_snapshot background_task_completed branch_checkpoint chat_compression cron "
    "custom_title file_history_snapshot goal_runtime goal_state goal_turn_end "
    "managed_session_commit_v1 managed_session_event_v1 managed_session_header_v1 "
    "mid_turn_user_message notification omni_recall parent_session realtime_message rewind "
    "session_approval_mode session_artifact_event session_artifact_snapshot "
    "session_execution_engine session_model session_notes session_source session_sources_snapshot "
    "slash_command turn_result ui_telemetry user_text_elements";

bool is_qwen_record(const json::Value& root) {
  const std::string type = root.find("type").text();
  return root.find("uuid").is_string() && root.find("parentUuid") &&
         root.find("sessionId").is_string() &&
         (type == "user" || type == "assistant" || type == "tool_result" || type == "system");
}

/// Returns true for a record with contents of the Gemini API. No other agent has these in such
/// records.
bool has_qwen_content(const json::Value& root) {
  return is_qwen_record(root) &&
         (root.find("message").find("parts").is_array() || root.find("systemPayload").is_object());
}

bool is_known_record(const json::Value& root) {
  const std::string subtype = root.find("subtype").text();
  return is_qwen_record(root) && is_one_of(subtype, kQwenSubtypes);
}

class QwenCodeSink final : public TreeSink {
 public:
  using TreeSink::TreeSink;

  Result<void> add(const json::Value& root) override {
    const std::string type = root.find("type").text();
    const std::string subtype = root.find("subtype").text();
    writer().name_session(root.find("sessionId").text());
    Link link = link_of(root, root.find("uuid"), root.find("parentUuid"));
    const std::string label = label_of(type, subtype);
    if (is_repeated(link, type != "system")) return drop(root, label);
    link.is_sidechain = root.find("isSidechain").is_true();
    if (link.is_sidechain) link.agent = root.find("agentId").text();
    const bool is_behind_rewind = rewound_.contains(link.parent);
    TurnRecord made(root, tool());
    make_turns(type, subtype, made, link);
    if (!made.has_turns()) {
      const bool is_behind = is_behind_rewind || subtype == "rewind";
      if (is_behind && !link.uuid.empty()) rewound_.insert(link.uuid);
      return pass(root, label, is_known_record(root), link);
    }
    link.goes_back = is_behind_rewind;
    add_facts(made);
    return add_turns(made, link);
  }

 private:
  void make_turns(const std::string& type, const std::string& subtype, TurnRecord& made,
                  Link& link) {
    const json::Value root = made.root();
    const json::Value message = root.find("message");
    const json::Value parts = message.find("parts");
    if (type == "system") {
      if (subtype == "chat_compression") add_compression(made, link);
    } else if (!parts.is_array() && !parts.is_string()) {
      return;
    } else if (type == "user") {
      add_user(parts, subtype, made, link);
    } else if (type == "assistant") {
      add_gemini_content(parts, Type::assistant, made);
      add_answer_facts(made, link);
    } else if (type == "tool_result") {
      add_gemini_content(parts, Type::tool, made);
      add_outcome(root.find("toolCallResult"), made);
      link.kind = Link::Kind::result;
    }
    if (made.has_turns()) take_role(message, type, made.taken());
  }

  static void take_role(const json::Value& message, std::string_view type, Taken& taken) {
    if (message.find("role").equals(type == "assistant" ? "model" : "user")) {
      taken(message, "role");
    }
  }

  static void add_user(const json::Value& parts, const std::string& subtype, TurnRecord& made,
                       Link& link) {
    add_gemini_content(parts, Type::user, made);
    const bool is_typed =
        subtype.empty() || subtype == "mid_turn_user_message" || subtype == "realtime_message";
    if (link.is_sidechain) {
      link.kind = Link::Kind::other;
    } else if (is_typed) {
      link.kind = Link::Kind::user_written;
      for (Turn& turn : made.turns()) {
        if (turn.type == Type::user) turn.author = "user";
      }
    } else {
      made.flag(fact::injected);
    }
    // The typed text and a hook's text are parts of the sent text.
    const json::Value payload = made.root().find("systemPayload");
    for (const std::string_view key : {"displayText", "hookContext"}) {
      const std::string said = payload.find(key).text();
      const bool is_sent = !said.empty() && holds_text(made.turns().front().text, said);
      if (is_sent) made.taken()(payload, key);
    }
  }

  /// Adds the facts of an answer. Records of one name are one answer.
  static void add_answer_facts(TurnRecord& made, Link& link) {
    const json::Value root = made.root();
    link.kind = Link::Kind::reply;
    link.message_id = link.uuid;
    made.set_model(root.find("model"));
    made.made_fact_text(fact::message_id, link.uuid);
    made.last_fact(fact::usage, root.find("usageMetadata"));
  }

  /// Adds the program's data on a call to its result.
  static void add_outcome(const json::Value& outcome, TurnRecord& made) {
    const std::string call = word_of(outcome.find("callId"));
    for (Turn& turn : made.turns()) {
      if (turn.type != Type::tool || turn.fields.call_id != call) continue;
      const json::Value status = outcome.find("status");
      if (status.equals("error") || status.equals("cancelled")) turn.fields.is_error = true;
      made.taken().word(outcome, "callId");
      const json::Value display = outcome.find("resultDisplay");
      if (display.equals(turn.text)) made.taken()(display);
      count_gemini_lines(outcome, turn);
      return;
    }
  }

  /// Adds the compressed history. Its first content is a summary that replaces all turns before it.
  void add_compression(TurnRecord& made, Link& link) {
    Taken& taken = made.taken();
    const json::Value history = made.root().find("systemPayload").find("compressedHistory");
    bool is_first = true;
    for (const json::Value& content : history.elements()) {
      const json::Value role = content.find("role");
      const json::Value parts = content.find("parts");
      const bool is_model = role.equals("model");
      if (std::exchange(is_first, false)) {
        say(Type::summary, parts, made);
        if (is_model) continue;
      } else {
        add_gemini_content(parts, is_model ? Type::assistant : Type::user, made);
      }
      if (is_model || role.equals("user")) taken(role);
    }
    if (!made.has_turns()) return;
    link.kind = Link::Kind::summary;
    Link boundary = link;
    boundary.uuid.clear();
    thread().pass_boundary(boundary, {link.parent, {}, {}});
  }

  static void add_facts(TurnRecord& made) {
    const json::Value root = made.root();
    made.set_time(root.find("timestamp"));
    made.fact(fact::uuid, root.find("uuid"));
    made.fact(fact::session, root.find("sessionId"));
    made.fact(fact::agent, root.find("agentId"));
    made.fact(fact::cwd, root.find("cwd"));
    made.fact(fact::git_branch, root.find("gitBranch"));
    made.fact(fact::agent_version, root.find("version"));
    for (const std::string_view key : {"type", "parentUuid"}) made.taken()(root, key);
    made.taken().flag(root, "isSidechain");
  }

  std::unordered_set<std::string> rewound_;  // Rewinds, and notes after them.
};

int score_qwen_code(const Head& head) {
  return head.contains(has_qwen_content) ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads the sessions of Qwen Code (`~/.qwen/projects/*/chats/*.jsonl`): one record per line, with
/// its parent's name and a content of the Gemini API. Source: github.com/QwenLM/qwen-code,
/// packages/core/src/services/chatRecordingService.ts.
const Importer kQwenCode = {"qwen-code", "Qwen Code", score_qwen_code,
                            import_lines_into<QwenCodeSink, is_qwen_record>,
                            open_lines<QwenCodeSink, is_qwen_record>};

}  // namespace spoor::import::formats
