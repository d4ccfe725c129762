#include "import/importers.h"
#include "import/records.h"

#include "base/find_text.h"
#include "base/text.h"
#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

class SweAgentSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    const json::Value history = root.find("history");
    begin_unnamed(history);
    TRY(add_messages(history, {}));
    TRY(add_last_step(history, root.find("trajectory")));
    return keep_rest(root, history, "trajectory");
  }

 private:
  /// Adds the last step's result, which the history lacks, and its answer if that is missing too.
  Result<void> add_last_step(const json::Value& history, const json::Value& trajectory) {
    json::Value step, message, last_answer;
    for (const json::Value& each : trajectory.elements()) step = each;
    for (const json::Value& each : history.elements()) {
      message = each;
      if (each.find("role").equals("assistant")) last_answer = each;
    }
    const std::string action = step.find("action").text();
    const json::Value observation = step.find("observation");
    if (!message || !observation.is_string()) return {};
    const bool is_answered = message.find("role").equals("assistant");
    // The history is complete, or ends in another step.
    if (is_answered != last_answer.find("action").equals(action)) return {};
    TurnRecord made(step, tool());
    std::string call;
    if (!is_answered) {
      compile::Turn& answer = made.start(compile::Type::assistant);
      answer.text = step.find("response").text();
      const std::string_view command = trimmed(action);
      if (!command.empty()) actions().call({bash_call(command)}, answer);
    } else {
      call = first_of(message.find("tool_calls")).find("id").text();
    }
    compile::Turn& result = made.start(call.empty() ? compile::Type::user : compile::Type::tool);
    result.text = observation.text();
    result.fields.call_id = call;
    if (call.empty()) actions().answer(result);
    // The whole trajectory is kept.
    for (const json::Member& member : step.members()) made.taken()(member.value);
    return add_turns(made, "step");
  }

  /// Adds facts. Takes a thought and an action that the text also contains: they were cut from it.
  void add_facts(const json::Value& message, TurnRecord& made) override {
    made.fact(fact::agent, message.find("agent"));
    made.fact(fact::message_type, message.find("message_type"));
    const std::string content = message.find("content").text();
    for (const std::string_view key : {"thought", "action"}) {
      const json::Value part = message.find(key);
      if (!part.is_string() || says_nothing(part)) continue;
      if (!holds_text(content, part.text())) continue;
      made.taken()(part);
      report().repeated_facts[std::string(key)] += 1;
    }
  }

  /// Returns the command that the agent took from the answer's text and ran.
  std::vector<compile::ToolCall> calls_in_text(const json::Value& message,
                                               const json::Value& /*next*/,
                                               std::string_view /*text*/) const override {
    const std::string action = message.find("action").text();
    const std::string_view command = trimmed(action);
    if (command.empty()) return {};
    return {bash_call(command)};
  }

  bool is_result_of_text(std::string_view /*text*/) const override { return true; }
};

int score_swe_agent(const Head& head) {
  const json::Value root = head.first();
  const json::Value step = first_of(root.find("trajectory"));
  // The history may follow a long trajectory.
  if (step.find("action").is_string() && step.find("observation").is_string()) return score::kOwn;
  return is_chat_message(first_of(root.find("history"))) ? score::kShape : score::kNone;
}

}  // namespace

/// Reads the trajectories of SWE-agent (`*.traj`): the history is the conversation. See
/// docs/importing.md for the rest. Source: github.com/SWE-agent/SWE-agent,
/// docs/usage/trajectories.md.
const Importer kSweAgent = {"swe-agent", "SWE-agent", score_swe_agent,
                            import_documents_into<SweAgentSink>};

}  // namespace spoor::import::formats
