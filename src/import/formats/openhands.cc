#include "import/importers.h"
#include "import/records.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "import/chat_message.h"
#include "import/content.h"
#include "import/conversations.h"
#include "llm/wire/think_tags.h"

namespace spoor::import::formats {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

// Actions of the program in the agent's name.
constexpr std::string_view kNoCalls =
    "recall change_agent_state null condensation condensation_request";

bool is_event(const json::Value& event) {
  return event.find("action").is_string() || event.find("observation").is_string();
}

// --- Events of the agent SDK ---------------------------------------------------

constexpr std::string_view kSdkKinds =
    "SystemPromptEvent MessageEvent ActionEvent ObservationEvent AgentErrorEvent "
    "UserRejectObservation PauseEvent ConversationStateUpdateEvent Condensation "
    "ConversationErrorEvent CondensationRequest CondensationSummaryEvent LLMCompletionLogEvent";

/// Returns true for an event of the agent SDK (OpenHands V1), which has a `kind`.
bool is_sdk_event(const json::Value& event) {
  const std::string kind = event.find("kind").text();
  return event.find("source").is_string() && event.find("timestamp").is_string() &&
         is_one_of(kind, kSdkKinds);
}

/// Takes a command's exit code from an observation or its `metadata` as a fact of the result. -1
/// means that the command is still running, or that the code is unknown.
void take_openhands_exit_code(const json::Value& holder, Turn& result, Taken& taken) {
  const json::Value code = holder.find("exit_code");
  if (code.integer() != -1) take_exit_code(code, result, taken);
}

bool is_by_agent(const json::Value& event) { return event.find("source").equals("agent"); }

void add_sdk_reasoning(const json::Value& event, TurnRecord& made) {
  const json::Value item = event.find("responses_reasoning_item");
  const json::Value blocks = event.find("thinking_blocks");
  const json::Value said = event.find("reasoning_content");
  if (says_nothing(item) && says_nothing(blocks) && says_nothing(said)) return;
  Turn& turn = made.start_reasoning(said, "reasoning_content");
  for (const json::Value& block : blocks.elements()) {
    turn.fields.format = "anthropic";
    turn.raw.push_back({std::string(block.raw())});
  }
  if (!says_nothing(item)) {
    turn.fields.format = "responses";
    turn.raw.push_back({std::string(item.raw())});
    made.taken()(item);
  }
  if (blocks.is_array()) made.taken()(blocks);
}

/// Removes a tagged thought from the text if it repeats the reasoning.
void drop_repeated_thought(TurnRecord& made) {
  auto& turns = made.turns();
  if (turns.size() < 2 || turns[turns.size() - 2].type != Type::reasoning) return;
  const std::string& thought = turns[turns.size() - 2].text;
  Turn& turn = turns.back();
  llm::wire::ThinkSplit split = llm::wire::split_think_tags(turn.text, llm::wire::LoneEnd::drop);
  for (const std::string& block : split.blocks) {
    if (thought.find(block) == std::string::npos) return;
  }
  constexpr std::string_view kEnd = "</think>";
  const std::size_t end = turn.text.rfind(kEnd);
  if (!split.has_tags || end == std::string::npos) return;
  turn.raw.push_back({turn.text, "text/plain"});
  turn.text.erase(0, end + kEnd.size());
  turn.text.erase(0, std::min(turn.text.find_first_not_of(" \t\r\n"), turn.text.size()));
}

void add_sdk_model_facts(const json::Value& event, TurnRecord& made) {
  made.made_fact_text(fact::message_id, event.find("llm_response_id").text());
}

void add_sdk_action(const json::Value& event, TurnRecord& made) {
  Taken& taken = made.taken();
  add_sdk_reasoning(event, made);
  Turn& turn = say(Type::assistant, event.find("thought"), made);
  drop_repeated_thought(made);
  const json::Value call = event.find("tool_call");
  std::string id = taken.word(event, "tool_call_id");
  std::string name = taken.text(event, "tool_name");
  if (call.find("id").equals(id)) taken.text(call, "id");
  if (call.find("name").equals(name)) taken.text(call, "name");
  // As the model wrote them; `action` is the program's reading of them.
  const json::Value written = call.find("arguments");
  const json::Value arguments = written ? written : event.find("action");
  turn.fields.tool_calls.emplace().push_back(
      {std::move(id), std::move(name), text_or_bytes(taken(arguments))});
  add_sdk_model_facts(event, made);
}

Turn& add_sdk_result(const json::Value& event, const json::Value& content, bool is_error,
                     TurnRecord& made) {
  Turn& turn = made.start_result(event, "tool_call_id", "tool_name");
  turn.fields.is_error = is_error;
  turn.text = take_content(content, turn, made.taken());
  return turn;
}

void add_sdk_observation(const json::Value& event, TurnRecord& made) {
  const json::Value observation = event.find("observation");
  json::Value said = observation;
  for (const std::string_view key : {"message", "text", "output", "content"}) {
    const json::Value content = observation.find(key);
    if (!says_nothing(content)) said = content;
  }
  Turn& turn = add_sdk_result(event, said, observation.find("is_error").is_true(), made);
  for (const json::Value& holder : {observation, observation.find("metadata")}) {
    take_openhands_exit_code(holder, turn, made.taken());
  }
}

void add_sdk_message(const json::Value& event, TurnRecord& made) {
  const json::Value message = event.find("llm_message");
  if (is_by_agent(event)) add_sdk_reasoning(message, made);
  Turn& turn =
      say(is_by_agent(event) ? Type::assistant : Type::user, message.find("content"), made);
  if (message.find("role").equals(is_by_agent(event) ? "assistant" : "user")) {
    made.taken().text(message, "role");
  }
  if (event.find("source").equals("user")) turn.author = "user";
  if (is_by_agent(event)) drop_repeated_thought(made);
  if (is_by_agent(event)) add_sdk_model_facts(event, made);
}

// Returns true if the turn implies the event's source.
bool says_its_source(const json::Value& event, std::string_view kind) {
  const json::Value source = event.find("source");
  if (kind == "MessageEvent") return source.equals("user") || source.equals("agent");
  if (kind == "ObservationEvent") return source.equals("environment");
  return source.equals(kind == "UserRejectObservation" ? "user" : "agent");
}

/// Makes the turns of such an event; none if it is neither from the model nor for it. Calls that
/// were made together are one message (`llm_response_id`). Source:
/// github.com/OpenHands/software-agent-sdk, openhands/sdk/event.
void add_sdk_turns(const json::Value& event, TurnRecord& made) {
  const std::string kind = event.find("kind").text();
  if (kind == "SystemPromptEvent") {
    Turn& turn = made.start(Type::system);
    const json::Value prompt = event.find("system_prompt");
    turn.text = made.taken().text(prompt.is_object() ? prompt.find("text") : prompt);
  } else if (kind == "MessageEvent") {
    add_sdk_message(event, made);
  } else if (kind == "ActionEvent") {
    add_sdk_action(event, made);
  } else if (kind == "ObservationEvent") {
    add_sdk_observation(event, made);
  } else if (kind == "AgentErrorEvent") {
    add_sdk_result(event, event.find("error"), true, made);
  } else if (kind == "UserRejectObservation") {
    add_sdk_result(event, event.find("rejection_reason"), true, made);
  }
  made.fact(fact::kind, event.find("kind"));
  if (made.has_turns() && says_its_source(event, kind)) made.taken().text(event, "source");
}

// --- Events of OpenHands ----------------------------------------------------------

/// Returns true for a line of a log of events. Rows of other agents may have an action too.
bool is_log_event(const json::Value& event) {
  if (is_sdk_event(event)) return true;
  return is_event(event) && event.find("id") && (event.find("source") || event.find("cause")) &&
         !event.find("messages") && !event.find("conversations") && !event.find("history");
}

class OpenHandsSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (has_begun_ || is_log_event(root)) {  // One event per line.
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
      // The oldest histories contain pairs of an action and its observation.
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

  /// Returns an action's argument from `args`; in the oldest events, from the event itself.
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

  /// Returns the arguments as the model wrote them; empty if the response is missing.
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
    // Several actions may have one response, which each of them repeats.
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
    if (id.empty() && observation == "error") {  // The model was told that its call was invalid.
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
    taken(metadata);  // The action repeats it.
    report().repeated_facts["tool_call_metadata"] += 1;
    open_.erase(called);
  }

  std::set<std::string> counted_;          // Responses whose usage was added.
  std::map<std::string, RecordKey> open_;  // By call: the metadata of its action.
  std::string last_call_;
  bool has_begun_ = false;  // A line of a log of events was read.
};

int score_openhands(const Head& head) {
  const json::Value root = head.first();
  const json::Value events = root.is_array() ? root : root.find("history");
  json::Value first = first_of(events);
  if (first.is_array()) first = first_of(first);
  if (is_event(first) || is_sdk_event(first)) return score::kOwn;
  // A file with a single event is only a part of a session.
  if (is_log_event(root) && head.has_more()) return score::kOwn;
  // A row of an evaluation, whose history follows a long beginning.
  const bool is_row = !events && root.find("instruction").is_string() &&
                      (root.find("instance_id") || root.find("issue").is_object());
  return is_row ? score::kShape : score::kNone;
}

}  // namespace

/// Reads the events of OpenHands and of its agent SDK: a list of them, one per line, or rows of an
/// evaluation with a `history`.
///
/// Source: github.com/All-Hands-AI/OpenHands, openhands/events/serialization.
const Importer kOpenHands = {"openhands", "OpenHands", score_openhands,
                             import_documents_into<OpenHandsSink>};

}  // namespace spoor::import::formats
