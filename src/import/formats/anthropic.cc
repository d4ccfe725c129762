#include "import/importers.h"
#include "import/records.h"

#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

class AnthropicSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    const json::Value messages = root.is_array() ? root : root.find("messages");
    if (!messages.is_array()) {
      if (is_chat_message(root)) {
        // An answer without a prompt in this file is a separate conversation.
        const bool is_answer = is_anthropic_message(root);
        if (is_answer && is_alone_) begin_unnamed(root);
        is_alone_ = is_alone_ && is_answer;
        return add_message(root, style_);
      }
      return keep(root, "(no messages)", false);
    }
    const std::string session = root.find("sessionId").text();
    is_alone_ = false;
    begin(session, messages);
    Taken taken;
    taken(messages);
    for (const std::string_view key : {"system", "system_prompt"})
      TRY(add_system(taken(root, key)));
    model_ = root.find("model").text();
    // Cline uses this form for many providers, and has the model in each message.
    style_.provider = session.empty() || !model_.empty() ? "anthropic" : "";
    TRY(add_messages(messages, style_));
    return root.is_array() ? Result<void>() : keep_rest(root, taken, "conversation");
  }

 private:
  void add_facts(const json::Value& message, TurnRecord& made) override {
    ConversationSink::add_facts(message, made);
    const json::Value info = message.find("modelInfo");
    made.made_fact(fact::provider, info.find("provider"));
    made.made_fact(fact::model, info.find("id"));
    made.made_fact_text(fact::model, info ? std::string() : model_);
    made.made_fact_text(fact::message_id, message.find("id").text());
    made.last_fact(fact::finish_reason, message.find("stop_reason"));
    if (is_anthropic_message(message)) made.taken().text(message, "type");
    made.last_fact(fact::usage, message.find(message.find("metrics") ? "metrics" : "usage"));
    made.set_author(info ? info.find("id").text() : std::string());
  }

  ChatStyle style_{.is_provider_item = true, .is_in_blocks = true, .provider = "anthropic"};
  std::string model_;
  bool is_alone_ = true;  // Only answers so far.
};

int score_anthropic(const Head& head) {
  const json::Value root = head.first();
  const json::Value messages = root.is_array() ? root : root.find("messages");
  if (is_anthropic_message(root)) return score::kOwn;
  if (!is_chat_message(first_of(messages))) return score::kNone;
  if (has_anthropic_blocks(messages)) return score::kShape;
  // Requests of the chat API have the system prompt in their messages.
  return root.find("system") || root.find("system_prompt") ? score::kCommon + 1 : score::kNone;
}

}  // namespace

/// Reads conversations of the Messages API, alone or in a request, and the sessions that Cline
/// stores in this form. Source: docs.anthropic.com/en/api/messages.
const Importer kAnthropic = {"anthropic-messages", "Anthropic messages", score_anthropic,
                             import_documents_into<AnthropicSink>};

}  // namespace spoor::import::formats
