#include "import/importers.h"
#include "import/records.h"

#include <map>

#include "import/conversations.h"
#include "import/responses_item.h"

namespace spoor::import::formats {
namespace {

using compile::Type;
using Side = ItemKind::Side;

/// Returns true for an item that is not a chat message: it has a type, and is neither an answer of
/// the Messages API nor a part of a message in OpenCode's storage.
bool is_item(const json::Value& item) {
  return item.find("type").is_string() && kind_of_item(item).side != Side::unknown &&
         !item.find("payload") && !item.find("messageID") && !is_anthropic_message(item);
}

class ResponsesSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (is_item(root)) return add_item(root);  // Consecutive items are one answer.
    message_.clear();
    TRY(add_exchange(root));
    set_response({});
    message_.clear();
    return {};
  }

 private:
  Result<void> add_exchange(const json::Value& root) {
    const json::Value input = root.is_array() ? root : root.find("input");
    const json::Value response = root.find("response").is_object() ? root.find("response") : root;
    const json::Value output = response.find("output");
    if (!TRY(go_on(response, root))) begin_unnamed(input.is_array() ? input : output);
    Taken taken;
    const json::Value instructions = taken(root, "instructions");
    const bool goes_on = tip().has_value();
    if (instructions.is_array()) {
      const std::string list = conversation() + ' ' + RecordKey::of(instructions.raw()).hex(32);
      const bool is_said = goes_on && list == instructions_;
      instructions_ = list;
      if (!is_said) TRY(add_items(instructions));
    } else if (!says_nothing(instructions)) {
      const bool is_said = goes_on && instructions.is_string() &&
                           TRY(writer().last_instructions(*tip())) == instructions.text();
      if (!is_said) TRY(add_system(instructions));
    }
    if (input.is_string()) TRY(add_prompt(taken(input)));
    if (input.is_array()) TRY(add_items(taken(input)));
    set_response(response);
    message_ = response.find("id").text();
    last_made_ = last_made_of(output);
    if (output.is_array()) TRY(add_items(taken(output)));
    if (tip() && !message_.empty()) answers_[message_] = {*tip(), conversation()};
    return root.is_array() ? Result<void>() : keep_rest(root, taken, "conversation");
  }

  /// Sets the response of the following items; missing: none.
  void set_response(const json::Value& response) {
    has_response_ = static_cast<bool>(response);
    model_ = response.find("model").text();
    usage_ = response.find("usage");
    reason_ = response.find("incomplete_details").find("reason");
  }

  /// Continues the line after the response that this request names as the previous one, because the
  /// request contains only what is new. Returns false if that response is not found.
  Result<bool> go_on(const json::Value& response, const json::Value& request) {
    std::string before = request.find("previous_response_id").text();
    if (before.empty()) before = response.find("previous_response_id").text();
    if (before.empty()) return false;
    const auto here = answers_.find(before);
    if (here != answers_.end()) {
      const AnswerPlace answer = here->second;
      begin(answer.conversation);
      set_tip(answer.turn);
      return true;
    }
    const auto stored = TRY(writer().find_answer(before));
    if (!stored) return false;
    begin(name_of_line(stored->ref));
    set_tip(stored->turn);
    return true;
  }

  /// Returns the name of a line from its ref, without its number.
  std::string name_of_line(const std::string& ref) const {
    std::string name = ref.substr(writer_folder().size());
    const std::size_t dash = name.rfind('-');
    if (dash != std::string::npos && dash > 0 &&
        name.find_first_not_of("0123456789", dash + 1) == std::string::npos) {
      name.resize(dash);
    }
    return name;
  }
  std::string writer_folder() const { return "refs/heads/" + std::string(tool()) + "/"; }

  Result<void> add_prompt(const json::Value& text) {
    TurnRecord made(text, tool());
    made.start(Type::user).text = made.taken().text(text);
    return add_turns(made, "message/user");
  }

  Result<void> add_items(const json::Value& items) {
    return for_each(items, [&](const json::Value& item) { return add_item(item); });
  }

  /// Returns the position of the last item of the model, which gets the response's usage.
  static std::size_t last_made_of(const json::Value& items) {
    std::size_t last = 0;
    for (const json::Value& item : items.elements()) {
      if (kind_of_item(item).side == Side::made) last = item.offset();
    }
    return last;
  }

  Result<void> add_item(const json::Value& item) {
    const ItemKind kind = kind_of_item(item);
    const std::string label = label_of("item", item.find("type").text());
    if (kind.side == Side::unknown) return keep(item, label, false);
    TurnRecord made(item, tool());
    add_item_turn(item, made);
    made.made_fact_text(fact::provider, "openai");
    if (kind.side == Side::made) {
      if (message_.empty()) message_ = item.find("id").text().substr(0, 128);
      made.made_fact_text(fact::message_id, message_);
      made.made_fact_text(fact::model, model_);
      if (has_response_ && item.offset() == last_made_) {
        made.last_fact(fact::usage, usage_);
        made.last_fact(fact::finish_reason, reason_);
      }
    } else if (!has_response_) {
      message_.clear();
    }
    return add_turns(made, label);
  }

  struct AnswerPlace {
    compile::Oid turn;  // The answer's last turn.
    std::string conversation;
  };

  bool has_response_ = false;  // The following items are a response's.
  std::string model_;
  json::Value usage_;
  json::Value reason_;  // The reason if it is incomplete.
  std::size_t last_made_ = 0;
  std::string instructions_;  // The last list of instructions, and its conversation.
  std::map<std::string, AnswerPlace> answers_;  // By the response's id.
  std::string message_;                         // The name of the items' answer.
};

int score_responses(const Head& head) {
  const json::Value root = head.first();
  if (is_item(first_of(root)) || is_item(root)) return score::kShape;
  const json::Value response = root.find("response").is_object() ? root.find("response") : root;
  if (is_item(first_of(response.find("output")))) return score::kShape;
  const bool has_items = kind_of_item(first_of(root.find("input"))).side != Side::unknown;
  return has_items && !root.find("messages") ? score::kShape : score::kNone;
}

}  // namespace

/// Reads items of the Responses API: a list of them, a request with `input`, a response with
/// `output`, or both. Source: platform.openai.com/docs/api-reference/responses.
const Importer kResponses = {"openai-responses", "OpenAI Responses", score_responses,
                             import_documents_into<ResponsesSink>};

}  // namespace spoor::import::formats
