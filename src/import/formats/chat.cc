#include "import/importers.h"
#include "import/records.h"

#include <array>
#include <utility>

#include "import/chat_message.h"
#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

constexpr ChatStyle kStyle{.is_provider_item = true};

/// Returns the messages of a request or of a row of a data set.
json::Value messages_of(const json::Value& root) {
  const json::Value messages = root.find("messages");
  const json::Value rows = root.find("conversations");
  return !messages && is_chat_message(first_of(rows)) ? rows : messages;
}

/// The lists of a preference row.
constexpr std::array<std::string_view, 2> kPair = {"chosen_messages", "rejected_messages"};

bool is_pair(const json::Value& root) {
  return is_chat_message(first_of(root.find(kPair[0]))) && root.find(kPair[1]).is_array();
}

class ChatSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (root.is_array()) return add_list(root);
    if (is_pair(root)) return add_pair(root);
    const json::Value messages = messages_of(root);
    if (!messages.is_array()) return add_other(root);
    begin(root.find("conversation_id").text(), messages);
    response_ = {};
    is_bare_ = false;
    model_ = root.find("model").text();
    Taken taken;
    taken(messages);
    for (const std::string_view key : {"system", "system_prompt"}) {
      const json::Value text = root.find(key);
      const json::Value first = first_of(messages);
      const bool is_said = first.find("role").equals("system") && text.is_string() &&
                           first.find("content").equals(text.text());
      taken(text);
      if (!is_said) TRY(add_system(text));
    }
    TRY(add_messages(messages, kStyle));
    TRY(add_response(root.find("response"), taken));
    return keep_rest(root, taken, "conversation");
  }

 private:
  /// Adds a bare list of messages, or a list of conversations.
  Result<void> add_list(const json::Value& list) {
    if (!is_chat_message(first_of(list))) return add_each(list);
    begin_unnamed(list);
    is_bare_ = false;
    model_.clear();
    return add_messages(list, kStyle);
  }

  /// Adds two conversations with different ends, of which one was preferred.
  Result<void> add_pair(const json::Value& root) {
    Taken taken;
    response_ = {};
    model_.clear();
    is_bare_ = false;
    for (const std::string_view key : kPair) {
      const json::Value messages = taken(root, key);
      begin_unnamed(messages);
      TRY(add_messages(messages, kStyle));
    }
    return keep_rest(root, taken, "pair");
  }

  Result<void> add_other(const json::Value& root) {
    if (is_chat_message(root) || is_lone_turn(root)) {  // One message per line.
      if (!std::exchange(is_bare_, true)) {
        begin_unnamed(root);
        model_.clear();
      }
      return add_message(root, kStyle);
    }
    return keep(root, "(no messages)", false);
  }

  /// Adds the model's answer to the messages.
  Result<void> add_response(const json::Value& response, Taken& taken) {
    const json::Value message = first_of(response.find("choices")).find("message");
    if (!is_chat_message(message)) return {};
    response_ = response;
    taken(message);
    Result<void> added = add_message(message, kStyle);
    response_ = {};
    return added;
  }

  void add_facts(const json::Value& message, TurnRecord& made) override {
    ConversationSink::add_facts(message, made);
    made.made_fact_text(fact::model, response_ ? response_.find("model").text() : model_);
    made.made_fact_text(fact::message_id, response_.find("id").text());
    made.last_fact(fact::usage, response_.find("usage"));
    made.last_fact(fact::finish_reason, first_of(response_.find("choices")).find("finish_reason"));
  }

  json::Value response_;  // The response being read.
  std::string model_;
  bool is_bare_ = false;  // The last record was a message on a line of its own.
};

int score_chat(const Head& head) {
  json::Value root = head.first();
  if (root.is_array() && !is_chat_message(first_of(root))) root = first_of(root);
  if (is_pair(root)) return score::kShape;
  const json::Value messages = root.is_array() ? root : messages_of(root);
  const json::Value first = messages.is_array() ? first_of(messages) : root;
  return is_chat_message(first) && !first.find("type") ? score::kCommon : score::kNone;
}

}  // namespace

/// Reads conversations of the chat API: a list of messages, an object with `messages`, or a logged
/// request with its response; one document, or one per line.
///
/// Source: platform.openai.com/docs/api-reference/chat.
const Importer kChat = {"openai-chat", "OpenAI chat", score_chat, import_documents_into<ChatSink>};

}  // namespace spoor::import::formats
