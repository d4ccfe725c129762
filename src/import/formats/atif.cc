#include "import/importers.h"
#include "import/records.h"

#include "import/content.h"
#include "import/conversations.h"
#include "import/names.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

bool is_trajectory(const json::Value& root) {
  return root.find("schema_version").text().starts_with("ATIF");
}

class AtifSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    const json::Value steps = root.find("steps");
    const std::string session = root.find("session_id").text();
    if (session.empty()) {
      begin_unnamed(steps);
    } else {
      writer().name_session(session);
      const bool is_first = writer().session() == session;  // Its line is the source's own.
      if (session != session_) begin_line(is_first ? std::string() : ref_word(session));
    }
    session_ = session;
    model_ = root.find("agent").find("model_name").text();
    for (const json::Value& step : steps.elements()) {
      TRY(add_step(step, session));
      TRY(flush_if_full());
    }
    return keep_rest(root, steps, "trajectory");
  }

 private:
  Result<void> add_step(const json::Value& step, const std::string& session) {
    const std::string source = step.find("source").text();
    TurnRecord made(step, tool());
    Taken& taken = made.taken();
    made.fact_text(fact::session, session);
    made.set_time(step.find("timestamp"));
    made.fact(fact::step, step.find("step_id"));
    if (source == "system" || source == "user") {
      Turn& turn = say(source == "user" ? Type::user : Type::system, step.find("message"), made);
      if (source == "user") turn.author = "user";
    } else if (source == "agent") {
      add_answer(step, made);
    }
    if (made.has_turns()) taken(step, "source");
    add_results(step.find("observation").find("results"), made);
    return add_turns(made, label_of("step", source));
  }

  void add_answer(const json::Value& step, TurnRecord& made) {
    Taken& taken = made.taken();
    if (const json::Value thought = step.find("reasoning_content");
        thought && !says_nothing(thought)) {
      made.start_reasoning(thought, "reasoning_content");
    }
    Turn& turn = say(Type::assistant, step.find("message"), made);
    for (const json::Value& call : step.find("tool_calls").elements()) {
      add_tool_call(turn, take_call(call, "tool_call_id", "function_name", "arguments", taken));
    }
    made.set_model(step.find("model_name"), model_);
    made.made_fact_text(fact::message_id, "step-" + std::string(step.find("step_id").raw()));
    made.last_fact(fact::usage, step.find("metrics"));
  }

  static void add_results(const json::Value& results, TurnRecord& made) {
    for (const json::Value& result : results.elements()) {
      Turn& turn = made.start_result(result, "source_call_id");
      turn.text = take_content(result.find("content"), turn, made.taken());
    }
  }

  std::string session_;  // The current trajectory's.
  std::string model_;
};

int score_atif(const Head& head) {
  return is_trajectory(head.first()) ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads trajectories of the Agent Trajectory Interchange Format: one document.
/// Source: github.com/laude-institute/harbor, docs/rfcs/0001-trajectory-format.md.
const Importer kAtif = {"atif", "ATIF", score_atif, import_documents_into<AtifSink>};

}  // namespace spoor::import::formats
