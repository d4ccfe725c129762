#include "llm/import/formats/generic.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "llm/import/conversations.h"
#include "llm/import/gemini_parts.h"
#include "llm/import/responses_item.h"
#include "store/text.h"

namespace spoor::llm::import::formats {
namespace {

using compile::Turn;
using compile::Type;

constexpr std::array<std::string_view, 6> kSpeakerKeys = {"role",   "from",   "speaker",
                                                          "author", "sender", "type"};
constexpr std::array<std::string_view, 5> kContentKeys = {"content", "text", "value", "message",
                                                          "parts"};

struct Speaker {
  Type type;
  std::string_view names;  // In small letters, between blanks.
};
constexpr std::array kSpeakers = {
    Speaker{Type::assistant, " assistant ai bot gpt chatgpt model agent llm claude chatbot "},
    Speaker{Type::user, " user human customer client person prompter "},
    Speaker{Type::system, " system developer instructions "},
    Speaker{Type::tool, " tool function observation function_response tool_result environment "}};

std::optional<Type> type_of_speaker(std::string_view name) {
  const std::string word = " " + store::lowered(name) + " ";
  if (name.empty() || name.find(' ') != std::string_view::npos) return std::nullopt;
  for (const Speaker& speaker : kSpeakers) {
    if (speaker.names.find(word) != std::string_view::npos) return speaker.type;
  }
  return std::nullopt;
}

/// Who speaks: a name, or an object with a role (ChatGPT's exports).
json::Value speaker_of(const json::Value& message) {
  for (const std::string_view key : kSpeakerKeys) {
    const json::Value value = message.find(key);
    const json::Value name = value.is_object() ? value.find("role") : value;
    if (name.is_string() && type_of_speaker(name.text())) return name;
  }
  return {};
}

json::Value content_of(const json::Value& message) {
  for (const std::string_view key : kContentKeys) {
    const json::Value value = message.find(key);
    if (value.is_string() || value.is_array() || value.is_object()) return value;
  }
  return {};
}

json::Value call_name_of(const json::Value& call) {
  const json::Value function = call.find("function");
  return function.is_object() ? function.find("name") : call.find("name");
}

json::Value result_of(const json::Value& result) {
  for (const std::string_view key : {"result", "output", "content"}) {
    if (const json::Value value = result.find(key)) return value;
  }
  return {};
}

bool is_message(const json::Value& value) {
  return value.is_object() && speaker_of(value) && content_of(value);
}

/// A call or a result that is an object of its own, with the name of its tool.
bool is_lone_call(const json::Value& value) {
  const std::string type = value.find("type").text();
  return (type == "function_call" || type == "tool_call" || type == "tool_use") &&
         call_name_of(value).is_string();
}

bool is_lone_result(const json::Value& value) {
  const std::string type = value.find("type").text();
  return (type == "function_result" || type == "tool_result" || type == "function_call_output") &&
         result_of(value);
}

/// Is this a conversation: mostly messages, one of them a model's?
bool is_conversation(const json::Value& list) {
  std::size_t messages = 0;
  bool has_answer = false;
  for (const json::Value& element : list.elements()) {
    if (!is_message(element)) continue;
    ++messages;
    has_answer = has_answer || type_of_speaker(speaker_of(element).text()) == Type::assistant;
  }
  return has_answer && messages * 2 > list.size();
}

/// The longest conversation within a value; missing if there is none.
json::Value longest_in(const json::Value& value) {
  json::Value best;
  const auto take = [&](const json::Value& other) {
    if (other && (!best || other.size() > best.size())) best = other;
  };
  if (value.is_array()) {
    if (is_conversation(value)) return value;
    for (const json::Value& element : value.elements()) take(longest_in(element));
  } else if (value.is_object()) {
    for (const json::Member& member : value.members()) take(longest_in(member.value));
  }
  return best;
}

class GenericSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    const bool is_one = is_message(root) || is_lone_call(root) || is_lone_result(root);
    if (root.is_object() && is_one) {  // One message a line.
      if (!std::exchange(is_bare_, true)) begin_unnamed(root);
      return add_one(root);
    }
    if (root.is_array() && !is_conversation(root)) {
      for (const json::Value& element : root.elements()) TRY(add(element));
      return {};
    }
    const json::Value list = longest_in(root);
    if (!list) {
      see(root);
      return keep(root, "(no messages)", false);
    }
    begin_unnamed(list);
    is_bare_ = false;
    open_.clear();
    made_ = 0;
    for (const json::Value& message : list.elements()) {
      TRY(add_one(message));
      TRY(breathe());
    }
    if (root.is_array()) return {};
    Taken taken;
    taken(list);
    return keep_rest(root, taken, "conversation");
  }

 private:
  void add_facts(const json::Value& message, TurnRecord& made) override {
    ConversationSink::add_facts(message, made);
    for (const std::string_view key : {"created_at", "createdAt", "time", "create_time"}) {
      made.set_time(message.find(key));
    }
  }

  Result<void> add_one(const json::Value& message) {
    if (is_chat_message(message) && type_of_speaker(message.find("role").text())) {
      return add_message(message, {});
    }
    see(message);
    TurnRecord made(message, tool());
    if (is_lone_call(message)) return add_call(message, made);
    if (is_lone_result(message)) return add_result(message, made);
    const json::Value name = speaker_of(message);
    const json::Value content = content_of(message);
    if (const auto type = type_of_speaker(name.text()); type && content) {
      made.taken()(name);
      add_facts(message, made);
      read(content, *type, made);
      if (*type == Type::user) made.turns().back().author = "user";
    }
    const std::string label = label_of("message", name.text());
    return made.has_turns() ? add_turns(made, label) : keep(message, label, false);
  }

  Result<void> add_call(const json::Value& message, TurnRecord& made) {
    Taken& taken = made.taken();
    add_facts(message, made);
    compile::ToolCall call;
    for (const std::string_view key : {"call_id", "id"}) {
      if (call.id.empty()) call.id = taken.word(message, key);
    }
    made_ += 1;
    if (call.id.empty()) call.id = "call-" + std::to_string(made_);
    call.name = taken.text(call_name_of(message));
    for (const json::Value& object : {message.find("function"), message}) {
      for (const std::string_view key : {"arguments", "input"}) {
        if (call.arguments.empty()) call.arguments = text_or_bytes(taken(object, key));
      }
    }
    open_.push_back({call.id, call.name});
    taken(message, "type");
    add_tool_call(made.start(Type::assistant), std::move(call));
    return add_turns(made, "call");
  }

  /// Without an id it answers the oldest open call, of its tool if it names one.
  Result<void> add_result(const json::Value& message, TurnRecord& made) {
    Taken& taken = made.taken();
    Turn& turn = made.start(Type::tool);
    for (const std::string_view key : {"call_id", "tool_call_id", "tool_use_id", "id"}) {
      if (turn.fields.call_id.empty()) turn.fields.call_id = taken.word(message, key);
    }
    turn.fields.name = taken.text(message, "name");
    const auto call = std::find_if(open_.begin(), open_.end(), [&](const Open& each) {
      if (!turn.fields.call_id.empty()) return each.id == turn.fields.call_id;
      return turn.fields.name.empty() || each.name == turn.fields.name;
    });
    if (call != open_.end()) {
      turn.fields.call_id = call->id;
      open_.erase(call);
    }
    turn.text = text_or_bytes(taken(result_of(message)));
    taken(message, "type");
    made.set_time(message.find("timestamp"));
    return add_turns(made, "result");
  }

  void read(const json::Value& content, Type type, TurnRecord& made) {
    const json::Value inner = content_of(content);
    if (content.is_object() && inner) return read(inner, type, made);
    if (first_of(content).is_object()) return add_gemini_content(content, type, made);
    Turn& turn = made.start(type);
    turn.text = take_content(content, turn, made.taken());
  }

  struct Open {
    std::string id;
    std::string name;
  };
  std::vector<Open> open_;  // Calls that nothing answered yet.
  int made_ = 0;
  bool is_bare_ = false;  // What came last: a message a line.
};

}  // namespace

int GenericImporter::score(const Head& head) const {
  const json::Value root = head.first();
  if (longest_in(root)) return score::kAnything;
  return is_message(root) && head.contains(is_message) && head.has_more() ? score::kAnything
                                                                          : score::kNone;
}

Result<LossReport> GenericImporter::import(Source& source, compile::Repository& repository,
                                           const ImportOptions& options) const {
  return import_documents_into<GenericSink>(name(), source, repository, options);
}

}  // namespace spoor::llm::import::formats
