#include "import/importers.h"
#include "import/records.h"

#include <map>
#include <set>
#include <utility>

#include "import/content.h"
#include "import/conversations.h"
#include "import/formats/openhands_sdk.h"

namespace spoor::import::formats {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

// What the program does by itself, in the agent's name.
constexpr std::string_view kNoCalls =
    "recall change_agent_state null condensation condensation_request";

bool is_event(const json::Value& event) {
  return event.find("action").is_string() || event.find("observation").is_string();
}

/// A line of a log of events; other agents' rows may have an action too.
bool is_log_event(const json::Value& event) {
  if (is_sdk_event(event)) return true;
  return is_event(event) && event.find("id") && (event.find("source") || event.find("cause")) &&
         !event.find("messages") && !event.find("conversations") && !event.find("history");
}

class OpenHandsSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (has_begun_ || is_log_event(root)) {  // One a line.
      if (!std::exchange(has_begun_, true)) begin_unnamed(root);
      return add_event(root);
    }
    open_.clear();
    counted_.clear();
    last_call_.clear();
    if (root.is_array()) {
      begin_unnamed(root);
      return add_events(root);
    }
    const json::Value history = root.find("history");
    begin(root.find("instance_id").text(), history);
    TRY(add_events(history));
    return keep_rest(root, history, "row");
  }

 private:
  Result<void> add_events(const json::Value& events) {
    for (const json::Value& event : events.elements()) {
      // The oldest histories hold pairs of an action and its observation.
      if (event.is_array()) {
        TRY(add_events(event));
        continue;
      }
      TRY(add_event(event));
      TRY(flush_if_full());
    }
    return {};
  }

  Result<void> add_event(const json::Value& event) {
    const std::string action = event.find("action").text();
    const std::string observation = event.find("observation").text();
    TurnRecord made(event, tool());
    made.set_time(event.find("timestamp"));
    if (event.find("kind").is_string()) return add_sdk_event(event, made);
    made.fact(fact::step, event.find("id"));
    made.fact(fact::kind, event.find(action.empty() ? "observation" : "action"));
    const std::string label =
        action.empty() ? label_of("observation", observation) : label_of("action", action);
    if (!action.empty()) {
      add_action(event, action, made);
    } else if (!observation.empty()) {
      add_observation(event, observation, made);
    }
    if (!made.has_turns()) return keep(event, label, is_event(event), made.time());
    if (event.find("message").equals(made.turns().back().text)) made.taken()(event, "message");
    return add_turns(made, label);
  }

  Result<void> add_sdk_event(const json::Value& event, TurnRecord& made) {
    made.fact(fact::uuid, event.find("id"));
    add_sdk_turns(event, made);
    const std::string label = label_of("event", event.find("kind").text());
    return made.has_turns() ? add_turns(made, label)
                            : keep(event, label, is_sdk_event(event), made.time());
  }

  /// What an action says stands in `args`; in the oldest events beside it.
  static json::Value argument(const json::Value& event, std::string_view key) {
    const json::Value args = event.find("args");
    return args.is_object() ? args.find(key) : event.find(key);
  }

  void add_action(const json::Value& event, const std::string& action, TurnRecord& made) {
    Taken& taken = made.taken();
    const bool by_user = event.find("source").equals("user");
    if (action == "system") {
      say(Type::system, argument(event, "content"), made);
    } else if (action == "message") {
      const bool is_first = !event.find("source") && !tip();
      Turn& turn =
          say(by_user || is_first ? Type::user : Type::assistant, argument(event, "content"), made);
      if (by_user) turn.author = "user";
    } else if (event.find("source").equals("agent") || !event.find("source")) {
      add_call(event, action, made);
    }
    const json::Value source = event.find("source");
    if (made.has_turns() && (by_user || source.equals("agent"))) taken(source);
    add_model_facts(event.find("tool_call_metadata").find("model_response"), made);
  }

  void add_call(const json::Value& event, const std::string& action, TurnRecord& made) {
    if (is_one_of(action, kNoCalls)) return;
    Taken& taken = made.taken();
    const json::Value metadata = event.find("tool_call_metadata");
    Turn& turn = made.start(Type::assistant);
    const json::Value said =
        first_of(metadata.find("model_response").find("choices")).find("message").find("content");
    if (action == "think" && said.is_string()) {
      turn.text = said.text();  // Its argument is added to the thought.
    } else {
      turn.text = take_content(argument(event, "thought"), turn, taken);
    }
    ToolCall call{metadata.find("tool_call_id").text(), metadata.find("function_name").text(), {}};
    if (call.id.empty()) call.id = "event-" + event_name(event);
    if (call.name.empty()) call.name = action;
    call.arguments = written_arguments(metadata, call.id);
    if (call.arguments.empty()) {
      const json::Value args = event.find("args");
      call.arguments = std::string(args.is_object() ? args.raw() : event.raw());
      if (args.is_object()) taken(args);
    }
    last_call_ = call.id;
    if (metadata) open_[call.id] = RecordKey::of(metadata.raw());
    turn.fields.tool_calls.emplace().push_back(std::move(call));
  }

  static std::string event_name(const json::Value& event) {
    const json::Value id = event.find("id");
    return id ? std::string(id.raw()).substr(0, 40) : RecordKey::of(event.raw()).hex(16);
  }

  /// The arguments as the model wrote them, where the response is there.
  static std::string written_arguments(const json::Value& metadata, const std::string& id) {
    const json::Value message =
        first_of(metadata.find("model_response").find("choices")).find("message");
    for (const json::Value& call : message.find("tool_calls").elements()) {
      if (call.find("id").equals(id)) return call.find("function").find("arguments").text();
    }
    return {};
  }

  void add_model_facts(const json::Value& response, TurnRecord& made) {
    if (!made.has_turns()) return;
    const std::string id = response.find("id").text();
    // Several actions may be of one response, which each of them repeats.
    if (!id.empty() && counted_.insert(id).second)
      made.last_fact(fact::usage, response.find("usage"));
    made.made_fact_text(fact::message_id, id);
    made.made_fact_text(fact::model, response.find("model").text());
    if (!made.turns().back().author.empty()) return;
    if (made.turns().back().type == Type::assistant) made.set_author(response.find("model").text());
  }

  void add_observation(const json::Value& event, const std::string& observation, TurnRecord& made) {
    Taken& taken = made.taken();
    const json::Value metadata = event.find("tool_call_metadata");
    std::string id = metadata.find("tool_call_id").text();
    const json::Value cause = event.find("cause");
    if (id.empty() && cause) id = "event-" + std::string(cause.raw()).substr(0, 40);
    if (id.empty() && !event.find("source")) id = last_call_;
    const bool is_state =
        observation == "agent_state_changed" || observation == "recall" || observation == "null";
    if (id.empty() && observation == "error") {  // Told to the model: its call was not one.
      say(Type::user, event.find("content"), made);
      return;
    }
    if (id.empty() || (is_state && !metadata)) return;
    Turn& turn = say(Type::tool, event.find("content"), made);
    turn.fields.call_id = id;
    turn.fields.is_error = observation == "error";
    const json::Value extras = event.find("extras");
    for (const json::Value& holder : {extras.find("metadata"), extras, event}) {
      take_openhands_exit_code(holder, turn, taken);
    }
    const auto called = open_.find(id);
    if (called == open_.end() || called->second != RecordKey::of(metadata.raw())) return;
    taken(metadata);  // The action says the same.
    report().repeated_facts["tool_call_metadata"] += 1;
    open_.erase(called);
  }

  std::set<std::string> counted_;          // Responses whose usage is told.
  std::map<std::string, RecordKey> open_;  // By call: the metadata of its action.
  std::string last_call_;
  bool has_begun_ = false;  // The line of a log of events.
};

int score_openhands(const Head& head) {
  const json::Value root = head.first();
  const json::Value events = root.is_array() ? root : root.find("history");
  json::Value first = first_of(events);
  if (first.is_array()) first = first_of(first);
  if (is_event(first) || is_sdk_event(first)) return score::kOwn;
  // A file of a single event is a part of a session only.
  if (is_log_event(root) && head.has_more()) return score::kOwn;
  // An evaluation's row, whose history lies behind a long beginning.
  const bool is_row = !events && root.find("instruction").is_string() &&
                      (root.find("instance_id") || root.find("issue").is_object());
  return is_row ? score::kShape : score::kNone;
}

}  // namespace

/// Reads the events of OpenHands and of its agent SDK: a list of them, one a line, or rows of an
/// evaluation with a `history`.
/// Source: github.com/All-Hands-AI/OpenHands, openhands/events/serialization.
const Importer kOpenHands = {"openhands", "OpenHands", score_openhands,
                             import_documents_into<OpenHandsSink>};

}  // namespace spoor::import::formats
