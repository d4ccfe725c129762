#include "import/importers.h"
#include "import/records.h"

#include <utility>

#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

bool is_trajectory(const json::Value& root) {
  return root.find("trajectory_format").text().starts_with("mini-swe-agent") ||
         root.find("info").find("mini_version").is_string();
}

class MiniSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    const json::Value messages = root.find("messages");
    begin(root.find("instance_id").text(), messages);
    TRY(add_messages(messages, {}));
    TRY(add_exit(messages));
    return keep_rest(root, messages, "trajectory");
  }

 private:
  /// Adds the `exit` message at the end of a run, whose content is the last command's output.
  Result<void> add_exit(const json::Value& messages) {
    json::Value answer, last;
    for (const json::Value& message : messages.elements()) {
      if (last.find("role").equals("assistant")) answer = last;
      if (!message.find("role").equals("exit")) answer = {};
      last = message;
    }
    const json::Value content = last.find("content");
    const std::string call = first_of(answer.find("tool_calls")).find("id").text();
    if (!answer || !content.is_string() || (call.empty() && !actions().has_open())) return {};
    TurnRecord made(last, tool());
    compile::Turn& turn = made.start(call.empty() ? compile::Type::user : compile::Type::tool);
    turn.text = content.text();
    turn.fields.call_id = call;
    if (call.empty()) actions().answer(turn);
    for (const json::Member& member : last.members()) made.taken()(member.value);  // Kept.
    return add_turns(made, "message/exit");
  }

  /// Adds an answer without a call, which is not in the conversation: only an error message was
  /// sent to the model. So the turn is skipped in prompts.
  Result<void> add_before(const json::Value& message) override {
    const json::Value response = message.find("extra").find("response");
    const json::Value said = first_of(response.find("choices")).find("message");
    if (!message.find("role").equals("user") || !said.is_object()) return {};
    TurnRecord made(response, tool());
    made.start(compile::Type::assistant).text = said.find("content").text();
    if (!conversation().empty()) made.fact_text(fact::session, conversation());
    add_response(response, made);
    made.set_time(response.find("created"));
    for (const json::Member& member : response.members()) made.taken()(member.value);  // Kept.
    for (const compile::Turn& turn : made.finish(report())) {
      const compile::Oid commit = TRY(writer().append(tip(), turn));
      set_tip(TRY(writer().skip(commit, {commit})));
    }
    return {};
  }

  static void add_response(const json::Value& response, TurnRecord& made) {
    made.set_model(response.find("model"));
    made.made_fact(fact::message_id, response.find("id"));
    made.last_fact(fact::usage, response.find("usage"));
    made.last_fact(fact::finish_reason, first_of(response.find("choices")).find("finish_reason"));
  }

  /// Adds the facts of an answer from the provider's response, which is stored in the message.
  void add_facts(const json::Value& message, TurnRecord& made) override {
    const json::Value extra = message.find("extra");
    const bool is_answer = message.find("role").equals("assistant");
    const json::Value response = is_answer ? extra.find("response") : json::Value();
    response_message_ = first_of(response.find("choices")).find("message");
    add_response(response, made);
    made.set_time(extra.find("timestamp"));
    made.set_time(response.find("created"));
    made.set_time(message.find("timestamp"));
  }

  /// Adds the provider's own message as the answer's raw item.
  void complete(TurnRecord& made) override {
    compile::Turn& last = made.turns().back();
    const bool is_result = last.facts.get(fact::mark) == "observation";
    if (last.type == compile::Type::tool || is_result) {
      take_exit_code(made.root().find("extra").find("returncode"), last, made.taken());
    }
    const json::Value message = std::exchange(response_message_, {});
    if (!message.is_object() || last.type != compile::Type::assistant) return;
    last.raw.push_back({std::string(message.raw())});
    made.taken()(message);
  }

  /// Version 2 lists the commands. Earlier versions ran the only block of an answer.
  std::vector<compile::ToolCall> calls_in_text(const json::Value& message,
                                               const json::Value& /*next*/,
                                               std::string_view text) const override {
    std::vector<compile::ToolCall> calls;
    const json::Value actions = message.find("extra").find("actions");
    for (const json::Value& action : actions.elements()) {
      const json::Value command = action.find("command");
      if (command.is_string()) calls.push_back(bash_call(command.text()));
    }
    if (actions.is_array()) return calls;
    if (const auto command = only_bash_block(text)) calls.push_back(bash_call(*command));
    return calls;
  }

  bool is_result_of_text(std::string_view /*text*/) const override { return true; }

  /// Keeps the message at the end of a run.
  bool is_kept_role(std::string_view role) const override { return role == "exit"; }

  json::Value response_message_;
};

int score_mini_swe_agent(const Head& head) {
  return is_trajectory(head.first()) ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads the trajectories of mini-SWE-agent (`*.traj.json`). The chat importer reads a bare list of
/// messages. Source: github.com/SWE-agent/mini-swe-agent, docs/usage/output_files.md.
const Importer kMiniSweAgent = {"mini-swe-agent", "mini-SWE-agent", score_mini_swe_agent,
                                import_documents_into<MiniSink>};

}  // namespace spoor::import::formats
