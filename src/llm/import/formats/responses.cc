#include "llm/import/formats/responses.h"

#include "llm/import/conversations.h"
#include "llm/import/responses_item.h"

namespace spoor::llm::import::formats {
namespace {

using compile::Turn;
using compile::Type;
using Side = ItemKind::Side;

/// An item that no chat message is: it names its type.
bool is_item(const json::Value& item) {
  return item.find("type").is_string() && kind_of_item(item).side != Side::unknown &&
         !item.find("payload");
}

class ResponsesSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (is_item(root)) {
      message_.clear();
      return add_item(root);
    }
    const json::Value input = root.is_array() ? root : root.find("input");
    const json::Value response = root.find("response").is_object() ? root.find("response") : root;
    const json::Value output = response.find("output");
    begin_unnamed(input.is_array() ? input : output);
    response_ = {};
    message_.clear();
    Taken taken;
    TRY(add_system(taken(root, "instructions")));
    if (input.is_string()) TRY(add_prompt(taken(input)));
    if (input.is_array()) TRY(add_items(taken(input)));
    response_ = response;
    message_ = response.find("id").text();
    if (output.is_array()) TRY(add_items(taken(output)));
    return root.is_array() ? Result<void>() : keep_rest(root, taken, "conversation");
  }

 private:
  Result<void> add_prompt(const json::Value& text) {
    see(text);
    TurnRecord made(text, tool());
    made.start(Type::user).text = made.taken()(text).text();
    return add_turns(made, "message/user");
  }

  Result<void> add_items(const json::Value& items) {
    for (const json::Value& item : items.elements()) {
      TRY(add_item(item));
      TRY(breathe());
    }
    return {};
  }

  Result<void> add_item(const json::Value& item) {
    see(item);
    const ItemKind kind = kind_of_item(item);
    const std::string label = label_of("item", item.find("type").text());
    if (kind.side == Side::unknown) return keep(item, label, false);
    TurnRecord made(item, tool());
    add_item_turn(item, made);
    made.made_fact_text("provider", "openai");
    if (kind.side == Side::made) {
      if (message_.empty()) message_ = item.find("id").text().substr(0, 128);
      made.made_fact_text("message_id", message_);
      made.made_fact_text("model", response_.find("model").text());
    } else if (!response_) {
      message_.clear();
    }
    return add_turns(made, label);
  }

  json::Value response_;
  std::string message_;  // Names the answer that items belong to.
};

}  // namespace

bool ResponsesImporter::recognises(std::string_view head) const {
  const Front front(head);
  const json::Value root = front.first();
  if (root.find("timestamp")) return false;  // A rollout.
  if (is_item(first_of(root)) || is_item(root)) return true;
  const json::Value response = root.find("response").is_object() ? root.find("response") : root;
  if (is_item(first_of(response.find("output")))) return true;
  const json::Value input = root.find("input");
  return kind_of_item(first_of(input)).side != Side::unknown && !root.find("messages");
}

Result<LossReport> ResponsesImporter::import(Source& source, compile::Repository& repository,
                                             const ImportOptions& options) const {
  return import_documents_into<ResponsesSink>(name(), source, repository, options);
}

}  // namespace spoor::llm::import::formats
