#include "import/importers.h"
#include "import/records.h"

#include <deque>

#include "base/json/writer.h"
#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

bool is_step(const json::Value& step) {
  const std::string kind = step.find("class_").text();
  return kind.ends_with("_action") || kind.ends_with("_observation");
}

class AdpSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (root.is_array()) return add_each(root);
    const json::Value steps = root.find("content");
    if (!steps.is_array()) return keep(root, "(no content)", false);
    begin(root.find("id").text(), steps);
    open_.clear();
    made_ = 0;
    TRY(for_each(steps, [&](const json::Value& step) { return add_step(step); }));
    return keep_rest(root, steps, "trajectory");
  }

 private:
  Result<void> add_step(const json::Value& step) {
    const std::string kind = step.find("class_").text();
    TurnRecord made(step, tool());
    made.fact_text(fact::session, conversation());
    if (kind.ends_with("_action")) add_action(kind, made);
    if (kind.ends_with("_observation")) add_observation(kind, made);
    constexpr std::string_view kKinds =
        "message_action api_action code_action text_observation web_observation image_observation";
    const bool is_known = is_one_of(kind, kKinds);
    if (made.has_turns() && is_known) made.taken()(step, "class_");
    return add_turns(made, label_of("step", kind));
  }

  void add_action(const std::string& kind, TurnRecord& made) {
    const json::Value step = made.root();
    Taken& taken = made.taken();
    const json::Value thought = step.find("reasoning_content");
    if (thought.is_string() && !says_nothing(thought)) {
      made.start_reasoning(thought, "reasoning_content");
    }
    const json::Value content = step.find("content");
    if (kind == "message_action") {
      // The description of a message is a thought; that of a call is text before the call.
      const json::Value description = step.find("description");
      if (description.is_string() && !says_nothing(description)) {
        made.start_reasoning(description, "parsed");
      }
      made.start(Type::assistant).text = taken.text(content);
      return;
    }
    if (kind != "api_action" && kind != "code_action") return;
    Turn& turn = made.start(Type::assistant);
    turn.text = taken.text(step, "description");
    compile::ToolCall call;
    call.id = taken.word(step, "tool_call_id");
    made_ += 1;
    if (call.id.empty()) call.id = "call-" + std::to_string(made_);
    if (kind == "api_action") {
      call.name = taken.text(step, "function");
      call.arguments = text_or_bytes(taken(step, "kwargs"));
    } else {  // The content is also attached, because it differs from the arguments made of it.
      call.name = taken.text(step, "language");
      json::Object arguments;
      arguments.add_string(call.name == "bash" ? "command" : "code", content.text());
      call.arguments = arguments.write();
    }
    open_.push_back(call.id);
    add_tool_call(turn, std::move(call));
  }

  void add_observation(const std::string& kind, TurnRecord& made) {
    const json::Value step = made.root();
    Taken& taken = made.taken();
    const std::string source = step.find("source").text();
    const bool is_said = kind == "text_observation" && (source == "user" || source == "agent");
    std::string call = taken.word(step, "tool_call_id");
    if (call.empty() && !is_said && !open_.empty()) call = open_.front();
    std::erase(open_, call);
    const Type type = !call.empty() ? Type::tool : source == "agent" ? Type::assistant : Type::user;
    Turn& turn = made.start(type);
    turn.fields.call_id = call;
    if (is_said || source == "environment") taken(step, "source");
    if (type == Type::user && source == "user") turn.author = "user";
    if (type == Type::tool) turn.fields.name = taken.text(step, "name");
    for (const std::string_view key : {"content", "axtree", "html", "url"}) {
      if (turn.text.empty()) turn.text = taken.text(step, key);
    }
  }

  std::deque<std::string> open_;  // Calls without a result so far.
  int made_ = 0;
};

int score_adp(const Head& head) {
  const json::Value first = head.first();
  const json::Value root = first.is_array() ? first_of(first) : first;
  return is_step(first_of(root.find("content"))) ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads standardized trajectories of the Agent Data Protocol: one a line, or a list of them, each
/// with a `content` of actions and observations that name their class.
///
/// Source: github.com/neulab/agent-data-protocol, schema/SCHEMA.md, schema/trajectory.py.
const Importer kAdp = {"adp", "Agent Data Protocol", score_adp, import_documents_into<AdpSink>};

}  // namespace spoor::import::formats
