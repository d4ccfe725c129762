#include "import/formats/openhands_sdk.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "import/chat_message.h"
#include "import/content.h"
#include "llm/wire/think_tags.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

constexpr std::string_view kKinds =
    "SystemPromptEvent MessageEvent ActionEvent ObservationEvent AgentErrorEvent "
    "UserRejectObservation PauseEvent ConversationStateUpdateEvent Condensation "
    "ConversationErrorEvent CondensationRequest CondensationSummaryEvent LLMCompletionLogEvent";

bool is_by_agent(const json::Value& event) { return event.find("source").equals("agent"); }

void add_reasoning(const json::Value& event, TurnRecord& made) {
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

/// A thought may be in the text too, in tags: then it is taken out of there.
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

void add_model_facts(const json::Value& event, TurnRecord& made) {
  made.made_fact_text(fact::message_id, event.find("llm_response_id").text());
}

void add_action(const json::Value& event, TurnRecord& made) {
  Taken& taken = made.taken();
  add_reasoning(event, made);
  Turn& turn = say(Type::assistant, event.find("thought"), made);
  drop_repeated_thought(made);
  const json::Value call = event.find("tool_call");
  std::string id = taken.word(event, "tool_call_id");
  std::string name = taken.text(event, "tool_name");
  if (call.find("id").equals(id)) taken.text(call, "id");
  if (call.find("name").equals(name)) taken.text(call, "name");
  // As the model wrote them; `action` is what the program read in them.
  const json::Value written = call.find("arguments");
  const json::Value arguments = written ? written : event.find("action");
  turn.fields.tool_calls.emplace().push_back(
      {std::move(id), std::move(name), text_or_bytes(taken(arguments))});
  add_model_facts(event, made);
}

Turn& add_result(const json::Value& event, const json::Value& content, bool is_error,
                 TurnRecord& made) {
  Turn& turn = made.start_result(event, "tool_call_id", "tool_name");
  turn.fields.is_error = is_error;
  turn.text = take_content(content, turn, made.taken());
  return turn;
}

void add_observation(const json::Value& event, TurnRecord& made) {
  const json::Value observation = event.find("observation");
  json::Value said = observation;
  for (const std::string_view key : {"message", "text", "output", "content"}) {
    const json::Value content = observation.find(key);
    if (!says_nothing(content)) said = content;
  }
  Turn& turn = add_result(event, said, observation.find("is_error").is_true(), made);
  for (const json::Value& holder : {observation, observation.find("metadata")}) {
    take_openhands_exit_code(holder, turn, made.taken());
  }
}

void add_message(const json::Value& event, TurnRecord& made) {
  const json::Value message = event.find("llm_message");
  if (is_by_agent(event)) add_reasoning(message, made);
  Turn& turn =
      say(is_by_agent(event) ? Type::assistant : Type::user, message.find("content"), made);
  if (message.find("role").equals(is_by_agent(event) ? "assistant" : "user")) {
    made.taken().text(message, "role");
  }
  if (event.find("source").equals("user")) turn.author = "user";
  if (is_by_agent(event)) drop_repeated_thought(made);
  if (is_by_agent(event)) add_model_facts(event, made);
}

// Does the turn tell who the event is from?
bool says_its_source(const json::Value& event, std::string_view kind) {
  const json::Value source = event.find("source");
  if (kind == "MessageEvent") return source.equals("user") || source.equals("agent");
  if (kind == "ObservationEvent") return source.equals("environment");
  return source.equals(kind == "UserRejectObservation" ? "user" : "agent");
}

}  // namespace

bool is_sdk_event(const json::Value& event) {
  const std::string kind = event.find("kind").text();
  return event.find("source").is_string() && event.find("timestamp").is_string() &&
         is_one_of(kind, kKinds);
}

void take_openhands_exit_code(const json::Value& holder, Turn& result, Taken& taken) {
  const json::Value code = holder.find("exit_code");
  if (code.integer() != -1) take_exit_code(code, result, taken);
}

void add_sdk_turns(const json::Value& event, TurnRecord& made) {
  const std::string kind = event.find("kind").text();
  if (kind == "SystemPromptEvent") {
    Turn& turn = made.start(Type::system);
    const json::Value prompt = event.find("system_prompt");
    turn.text = made.taken().text(prompt.is_object() ? prompt.find("text") : prompt);
  } else if (kind == "MessageEvent") {
    add_message(event, made);
  } else if (kind == "ActionEvent") {
    add_action(event, made);
  } else if (kind == "ObservationEvent") {
    add_observation(event, made);
  } else if (kind == "AgentErrorEvent") {
    add_result(event, event.find("error"), true, made);
  } else if (kind == "UserRejectObservation") {
    add_result(event, event.find("rejection_reason"), true, made);
  }
  made.fact(fact::kind, event.find("kind"));
  if (made.has_turns() && says_its_source(event, kind)) made.taken().text(event, "source");
}

}  // namespace spoor::import::formats
