#include "import/importers.h"
#include "import/records.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "import/chat_message.h"
#include "import/content.h"
#include "import/conversations.h"
#include "import/gemini_parts.h"
#include "import/names.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

constexpr std::array<std::string_view, 6> kSpeakerKeys = {"role",   "from",   "speaker",
                                                          "author", "sender", "type"};
constexpr std::array<std::string_view, 5> kContentKeys = {"content", "text", "value", "message",
                                                          "parts"};

struct Speaker {
  Type type;
  std::string_view names;  // In lower case, between blanks.
};
constexpr std::array kSpeakers = {
    Speaker{Type::assistant, " assistant ai bot gpt chatgpt model agent llm claude chatbot "},
    Speaker{Type::user, " user human customer client person prompter "},
    Speaker{Type::system, " system developer instructions "},
    Speaker{Type::tool, " tool function observation function_response tool_result environment "}};

std::optional<Type> type_of_speaker(std::string_view name) {
  const std::string word = " " + lowered(name) + " ";
  if (name.empty() || name.find(' ') != std::string_view::npos) return std::nullopt;
  for (const Speaker& speaker : kSpeakers) {
    if (speaker.names.find(word) != std::string_view::npos) return speaker.type;
  }
  return std::nullopt;
}

/// Returns the speaker: a name, or the role in an object (exports of ChatGPT).
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

bool is_message(const json::Value& value) {
  return value.is_object() && speaker_of(value) && content_of(value);
}

/// Returns true if most elements are messages, at least one of them a model's.
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

/// Returns the longest conversation within a value; missing if there is none.
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
    const bool is_one = is_message(root) || is_lone_turn(root);
    if (root.is_object() && is_one) {  // One message per line.
      if (!std::exchange(is_bare_, true)) begin_unnamed(root);
      return add_one(root);
    }
    if (root.is_array() && !is_conversation(root)) return add_each(root);
    const json::Value list = longest_in(root);
    if (!list) {
      return keep(root, "(no messages)", false);
    }
    begin_unnamed(list);
    is_bare_ = false;
    TRY(for_each(list, [&](const json::Value& message) { return add_one(message); }));
    if (root.is_array()) return {};
    return keep_rest(root, list, "conversation");
  }

 private:
  void add_facts(const json::Value& message, TurnRecord& made) override {
    ConversationSink::add_facts(message, made);
    for (const std::string_view key : {"created_at", "createdAt", "time", "create_time"}) {
      made.set_time(message.find(key));
    }
  }

  Result<void> add_one(const json::Value& message) {
    const bool is_chat = is_chat_message(message) && type_of_speaker(message.find("role").text());
    if (is_chat || is_lone_turn(message)) return add_message(message, {});
    TurnRecord made(message, tool());
    const json::Value name = speaker_of(message);
    const json::Value content = content_of(message);
    if (const auto type = type_of_speaker(name.text()); type && content) {
      made.taken()(name);
      add_facts(message, made);
      read(content, *type, made);
      for (Turn& turn : made.turns()) {
        if (turn.type == Type::user) turn.author = "user";
      }
    }
    const std::string label = label_of("message", name.text());
    return made.has_turns() ? add_turns(made, label) : keep(message, label, false);
  }

  void read(const json::Value& content, Type type, TurnRecord& made) {
    const json::Value inner = content_of(content);
    if (content.is_object() && inner) {
      add_inner_facts(content, type, made);
      return read(inner, type, made);
    }
    const json::Value first = first_of(content);
    if (first.find("type").is_string()) {
      add_chat_content(content, type, made);
    } else if (first.is_object()) {
      add_gemini_content(content, type, made);
    } else {
      say(type, content, made);
    }
    count_odd(content, made.taken());
  }

  /// Adds the facts of a message within a record.
  static void add_inner_facts(const json::Value& message, Type type, TurnRecord& made) {
    if (type_of_speaker(message.find("role").text()) == type) made.taken()(message, "role");
    made.made_fact_text(fact::message_id, message.find("id").text());
    made.made_fact(fact::model, message.find("model"));
    made.last_fact(fact::usage, message.find("usage"));
  }

  /// Counts unknown blocks, which are attached to the turn.
  void count_odd(const json::Value& content, const Taken& taken) {
    for (const json::Value& block : content.elements()) {
      if (taken.has(block) || taken.holds_taken(block) || says_nothing(block)) continue;
      const std::string type = block.find("type").text();
      report().odd_blocks[type.empty() ? "(no type)" : plain_word(type)] += 1;
    }
  }

  bool is_bare_ = false;  // The last record was a message on a line of its own.
};

int score_generic(const Head& head) {
  const json::Value root = head.first();
  if (longest_in(root)) return score::kAnything;
  return is_message(root) && head.contains(is_message) && head.has_more() ? score::kAnything
                                                                          : score::kNone;
}

}  // namespace

/// Reads any JSON document, or JSON Lines, with messages: objects with a speaker (`role`, `from`,
/// `speaker`, `author`, `sender`, `type`) and a content (`content`, `text`, `value`, `message`,
/// `parts`). In a document the longest list of messages counts, wherever it is; a list of documents
/// is read one by one. A message of an unknown speaker becomes a note. For sources that no other
/// importer recognises.
const Importer kGeneric = {"generic", "JSON with roles and contents", score_generic,
                           import_documents_into<GenericSink>};

}  // namespace spoor::import::formats
