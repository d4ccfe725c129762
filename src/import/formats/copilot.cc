#include "import/importers.h"

#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json/writer.h"
#include "import/content.h"
#include "import/head.h"
#include "import/live_import.h"
#include "import/records.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

// As written by versions 0.0.4xx to 1.0.102 of the CLI.
constexpr std::string_view kCopilotTypes =
    "abort assistant.fusion_phase_completed assistant.fusion_phase_failed assistant.intent "
    "assistant.message assistant.reasoning assistant.turn_end assistant.turn_start "
    "assistant.usage command.completed command.execute command.queued elicitation.completed "
    "elicitation.requested exit_plan_mode.completed exit_plan_mode.requested "
    "external_tool.completed external_tool.requested hook.end hook.start human_response.recorded "
    "mcp.oauth_recovery_completed pending_messages.modified permission.assentDetected "
    "permission.carriedForward permission.completed permission.contextualAuthorization "
    "permission.messageAuthorization permission.messageAuthorizationDegraded "
    "permission.messageAuthorizationRead permission.requested session.auto_mode_resolved "
    "session.autopilot_objective_changed session.background_tasks_changed session.binary_asset "
    "session.canvas.recorded session.canvas.removed session.compaction_complete "
    "session.compaction_start session.completion_receipt session.context_changed "
    "session.context_cleared session.custom_agents_updated session.error "
    "session.fusion_change_checkpoint session.fusion_commit_started session.fusion_completed "
    "session.fusion_handoff session.fusion_resolved session.fusion_route_failed session.handoff "
    "session.idle session.info session.mcp_servers_loaded session.mode_changed "
    "session.mode_notice_delivered session.model_change session.model_deselected "
    "session.permission_recovery session.permissions_changed session.plan_changed "
    "session.remote_steerable_changed session.request_body_compression_disabled session.resume "
    "session.schedule_cancelled session.schedule_created session.schedule_rearmed "
    "session.session_limits_changed session.shutdown session.skills_loaded "
    "session.snapshot_rewind session.start session.task_complete session.title_changed "
    "session.tools_updated session.truncation session.usage_checkpoint session.usage_info "
    "session.usage_record session.warning session.workspace_file_changed skill.context_delivered "
    "skill.context_delivered_ref skill.invoked skill.invoked_ref subagent.completed "
    "subagent.configured subagent.deselected subagent.failed subagent.selected subagent.started "
    "system.message system.notification tool.execution_complete tool.execution_start "
    "tool.user_requested tool_search.activated user.message";

/// The token counts in a request's usage. Its cost is a number of requests, not money.
constexpr std::array<const char*, 5> kCounts = {"inputTokens", "outputTokens", "cacheReadTokens",
                                                "cacheWriteTokens", "reasoningTokens"};
constexpr std::size_t kMostHeld = 64;

bool is_copilot_type(std::string_view type) { return is_one_of(type, kCopilotTypes); }

bool is_copilot_event(const json::Value& root) {
  return root.find("data").is_object() && root.find("timestamp").is_string() &&
         root.find("id").is_string() && root.find("parentId") &&
         is_copilot_type(root.find("type").text());
}

class CopilotSink final : public TreeSink {
 public:
  using TreeSink::TreeSink;

  Result<void> add(const json::Value& root) override {
    const std::string type = root.find("type").text();
    const bool is_main = agent_of(root).empty();
    if (type == "system.message" && is_main && !held_.empty()) return add_system_first(root);
    const bool begins = type == "user.message" && is_main && !has_held_ && !systems_.contains("");
    if (begins || (!held_.empty() && !is_said(type) && held_.size() < kMostHeld)) {
      has_held_ = true;
      held_.emplace_back(root.raw());
      return {};
    }
    TRY(release({}));
    return read(root, root.find("parentId"));
  }

  Result<void> finish() override {
    TRY(release({}));
    return TreeSink::finish();
  }

 private:
  // --- The first message ----------------------------------------------------
  // Since 1.0.102 the system message is written after the user's first message. In the prompt it
  // comes first. So the first user message waits for the next message.

  Result<void> add_system_first(const json::Value& system) {
    const json::Document first = read_again(held_.front());
    TRY(read(system, first.root().find("parentId")));
    return release(system.find("id"));
  }

  /// Reads the waiting events. `parent` (may be missing) replaces the first event's parent.
  Result<void> release(const json::Value& parent) {
    json::Value before = parent;
    return read_each(std::exchange(held_, {}), [&](const json::Value& root) {
      const json::Value named = std::exchange(before, {});
      return read(root, named ? named : root.find("parentId"));
    });
  }

  static std::string agent_of(const json::Value& root) {
    const std::string agent = root.find("agentId").text();
    return agent.empty() ? root.find("data").find("parentToolCallId").text() : agent;
  }

  Result<void> read(const json::Value& root, const json::Value& parent) {
    const std::string type = root.find("type").text();
    const json::Value data = root.find("data");
    const Link place = link_of(root, root.find("id"), parent);
    if (is_repeated(place, is_said(type))) return drop(root, label_of(type));
    learn(type, data);
    agent_ = agent_of(root);
    TurnRecord made(root, tool());
    made.set_time(root.find("timestamp"));
    Link link = place;
    make_turns(type, data, made, link);
    if (!made.has_turns()) return pass(root, label_of(type), is_copilot_type(type), place);
    add_facts(data, made);
    if (agent_.empty()) return add_turns(made, link);
    // Each event names the one before it, of any agent. A subagent's event follows that subagent's
    // last one, and the session's events step over it.
    link.uuid.clear();
    link.parent.clear();
    link.has_parent = false;
    link.is_sidechain = true;
    link.agent = agent_;
    TRY(add_turns(made, link));
    thread().pass(place);
    return {};
  }

  static bool is_said(std::string_view type) {
    return is_one_of(type,
                     "user.message assistant.message system.message assistant.reasoning "
                     "tool.execution_complete");
  }

  // --- The session ----------------------------------------------------------

  void learn(const std::string& type, const json::Value& data) {
    if (type == "session.start" || type == "session.resume") {
      writer().name_session(data.find("sessionId").text());
      learn_place(data.find("context"));
      learn_word(data.find("copilotVersion"), version_);
      learn_word(data.find("selectedModel"), model_);
    } else if (type == "session.context_changed") {
      learn_place(data);
    } else if (type == "session.model_change") {
      learn_word(data.find("newModel"), model_);
    } else if (type == "session.usage_record") {
      learn_usage(data.find("usage"));
    }
  }

  /// Keeps a request's usage for its answer, which follows and names the same API call.
  void learn_usage(const json::Value& usage) {
    const std::string name = usage.find("apiCallId").text();
    if (name.empty()) return;
    json::Object counts;
    for (const char* key : kCounts) {
      const json::Value count = usage.find(key);
      if (count.is_number()) counts.add_json(key, std::string(count.raw()));
    }
    const json::Value output = usage.find("outputTokens");
    usages_.insert_or_assign(
        name, Usage{counts.write(), std::string(output.is_number() ? output.raw() : ""),
                    json::write_string(usage.find("finishReason").text())});
  }

  void add_usage(const json::Value& data, TurnRecord& made) {
    const auto found = usages_.extract(data.find("apiCallId").text());
    if (!found.empty()) {
      made.last_fact_told(fact::usage, found.mapped().counts);
      made.last_fact_told(fact::finish_reason, found.mapped().finish_reason);
      const json::Value output = data.find("outputTokens");
      if (output && output.raw() == found.mapped().output) made.taken()(output);
    }
    made.last_fact_member(fact::usage, data, "outputTokens");
  }

  void learn_place(const json::Value& context) {
    learn_word(context.find("cwd"), cwd_);
    learn_word(context.find("branch"), git_branch_);
  }

  static void learn_word(const json::Value& said, std::string& known) {
    if (said.is_string()) known = said.text();
  }

  void add_facts(const json::Value& data, TurnRecord& made) {
    const json::Value root = made.root();
    made.fact(fact::uuid, root.find("id"));
    made.fact_text(fact::session, writer().session());
    made.fact(fact::agent, root.find("agentId"));
    if (!root.find("agentId").is_string()) made.fact(fact::agent, data.find("parentToolCallId"));
    made.fact_text(fact::cwd, cwd_);
    made.fact_text(fact::git_branch, git_branch_);
    made.fact_text(fact::agent_version, version_);
    made.fact(fact::turn_id, data.find("turnId"));
    made.taken()(root, "type");
    made.taken()(root, "parentId");
  }

  // --- Turns ----------------------------------------------------------------

  void make_turns(const std::string& type, const json::Value& data, TurnRecord& made, Link& link) {
    if (type == "user.message") {
      add_user(data, made, link);
    } else if (type == "assistant.message") {
      add_answer(data, made, link);
    } else if (type == "assistant.reasoning") {
      const json::Value said = data.find("content");
      made.start_reasoning(said, "parsed");
      if (said.is_string() && !says_nothing(said)) {
        reasoned_.insert_or_assign(agent_, RecordKey::of(said.text()));
      }
      link.kind = Link::Kind::reply;
      add_model(data, made);
    } else if (type == "tool.execution_complete") {
      add_result(data, made, link);
    } else if (type == "system.message") {
      add_system(data, made, link);
    } else if (type == "session.compaction_complete") {
      add_summary(data, made, link);
    }
  }

  void add_user(const json::Value& data, TurnRecord& made, Link& link) {
    Taken& taken = made.taken();
    Turn& turn = made.start(Type::user);
    turn.text = taken.text(data, "content");
    // The text sent, including the program's additions.
    const std::string sent = data.find("transformedContent").text();
    if (!sent.empty()) {
      if (sent.find(turn.text) == std::string::npos) taken.give_back(data.find("content"));
      turn.text = taken.text(data, "transformedContent");
    }
    for (const json::Value& attachment : data.find("attachments").elements()) {
      attach_picture(attachment.find("mimeType"), attachment.find("data"), turn, taken);
    }
    const std::string by = data.find("source").text();
    if (!by.empty() && by != "user") {
      made.flag(fact::injected);
    } else if (agent_.empty()) {
      link.kind = Link::Kind::user_written;
      made.set_author("user");
    }
  }

  void add_answer(const json::Value& data, TurnRecord& made, Link& link) {
    Taken& taken = made.taken();
    const auto reasoned = reasoned_.extract(agent_);
    const json::Value thought = data.find("reasoningText");
    if (!reasoned.empty() && thought.is_string() &&
        RecordKey::of(thought.text()) == reasoned.mapped()) {
      taken(thought);  // Repeats the event before.
    } else if (!says_nothing(thought) || !says_nothing(data.find("reasoningOpaque"))) {
      made.start_reasoning(thought, "parsed");
      keep_opaque(data, made);
    }
    const json::Value content = data.find("content");
    const json::Value calls = data.find("toolRequests");
    if (!made.has_turns() || !says_nothing(content) || calls.size() > 0) {
      Turn& turn = made.start(Type::assistant);
      turn.text = taken.text(content);
      for (const json::Value& call : calls.elements()) {
        add_tool_call(turn, take_call(call, "toolCallId", "name", "arguments", taken));
        if (call.find("type").equals("function")) taken(call, "type");
      }
    }
    link.kind = Link::Kind::reply;
    link.message_id = data.find("messageId").text();
    made.made_fact(fact::message_id, data.find("messageId"));
    made.last_fact(fact::request_id, data.find("requestId"));
    add_usage(data, made);
    add_model(data, made);
  }

  /// Adds the model. Messages of earlier versions do not name it, so the session's is used, but not
  /// for subagents, whose model may be another.
  void add_model(const json::Value& data, TurnRecord& made) {
    const std::string by_session = agent_.empty() && model_ != "auto" ? model_ : std::string();
    made.set_model(data.find("model"), by_session);
  }

  /// Adds the part of a thought that only the provider can read.
  static void keep_opaque(const json::Value& data, TurnRecord& made) {
    const json::Value opaque = data.find("reasoningOpaque");
    if (!opaque.is_string() || says_nothing(opaque)) return;
    json::Object item;
    if (const json::Value text = data.find("reasoningText"); text.is_string()) {
      item.add_json("reasoningText", std::string(text.raw()));
    }
    item.add_json("reasoningOpaque", std::string(made.taken()(opaque).raw()));
    made.turns().back().raw.push_back({item.write()});
  }

  /// Adds a result. `content` was sent to the model; `detailedContent`, if different, was shown to
  /// the user.
  static void add_result(const json::Value& data, TurnRecord& made, Link& link) {
    Taken& taken = made.taken();
    const json::Value result = data.find("result");
    const json::Value error = data.find("error");
    Turn& turn = made.start_result(data, "toolCallId");
    turn.fields.is_error = data.find("success").is_false();
    taken.flag(data, "success");
    if (result.is_string()) {
      turn.text = taken.text(result);
    } else if (result.find("content").is_string()) {
      turn.text = taken.text(result, "content");
    } else {
      turn.text = error.is_string() ? taken.text(error) : taken.text(error, "message");
    }
    if (result.find("detailedContent").equals(turn.text)) taken(result, "detailedContent");
    take_exit_code(data.find("shellExecution").find("exitCode"), turn, taken);
    const json::Value metrics = data.find("toolTelemetry").find("metrics");
    add_line_counts(metrics.find("linesAdded").integer(), metrics.find("linesRemoved").integer(),
                    turn);
    for (const json::Value& part : result.find("contents").elements()) {
      if (part.find("text").equals(turn.text)) taken(part, "text");
      take_exit_code(part.find("exitCode"), turn, taken);
      attach_picture(part.find("mimeType"), part.find("data"), turn, taken);
    }
    link.kind = Link::Kind::result;
  }

  /// Adds a system message if it has changed. The CLI writes it whenever it is sent; a repeated one
  /// is kept.
  void add_system(const json::Value& data, TurnRecord& made, const Link& link) {
    Taken& taken = made.taken();
    const json::Value content = data.find("content");
    System& known = systems_[agent_];
    if (!content.is_string() || (known.is_there && RecordKey::of(content.text()) == known.text))
      return;
    const std::string role = data.find("role").text();
    Turn& turn = made.start(Type::system);
    turn.text = taken.text(content);
    if (role == "developer") turn.fields.role = role;
    if (role == "developer" || role == "system") taken(data, "role");
    known = {true, RecordKey::of(turn.text), link.uuid};
  }

  /// Adds a summary, which replaces all turns before it except for the system message.
  void add_summary(const json::Value& data, TurnRecord& made, Link& link) {
    const json::Value summary = data.find("summaryContent");
    if (!data.find("success").is_true() || !summary.is_string() || says_nothing(summary)) return;
    made.start(Type::summary).text = made.taken().text(summary);
    made.taken().flag(data, "success");
    link.kind = Link::Kind::summary;
    if (!agent_.empty()) return;
    const std::string kept = systems_[agent_].name;
    Link boundary = link;
    boundary.uuid.clear();
    thread().pass_boundary(boundary, {link.parent, kept, kept});
  }

  struct System {
    bool is_there = false;
    RecordKey text;
    std::string name;  // The event's.
  };
  std::vector<std::string> held_;  // The user's first message, and the events after it.
  bool has_held_ = false;
  struct Usage {
    std::string counts, output, finish_reason;  // JSON.
  };
  std::unordered_map<std::string, Usage> usages_;  // By API call.
  // By agent; the session's own has the name "".
  std::unordered_map<std::string, System> systems_;
  std::unordered_map<std::string, RecordKey> reasoned_;  // The text of the last reasoning event.
  std::string agent_;                                    // The event's agent.
  std::string cwd_, git_branch_, version_, model_;
};

int score_copilot(const Head& head) {
  return head.contains(is_copilot_event) ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads the sessions of GitHub Copilot CLI (`~/.copilot/session-state/*/events.jsonl`) and of
/// other programs built on its SDK: one event per line, which names the one before it. Source:
/// github.com/github/copilot-sdk, nodejs/src/generated/session-events.ts.
const Importer kCopilot = {"copilot", "GitHub Copilot CLI", score_copilot,
                           import_lines_into<CopilotSink, is_copilot_event>,
                           open_lines<CopilotSink, is_copilot_event>};

}  // namespace spoor::import::formats
