#include <algorithm>
#include <iterator>
#include <utility>

#include "llm/wire/chat_calls.h"
#include "llm/wire/chat_text.h"
#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"

namespace spoor::llm::wire {
namespace {

using json::Value;

std::optional<std::uint64_t> count(const Value& value) {
  const auto number = value.integer();
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// Source: github.com/ollama/ollama/blob/main/docs/api.md, "Generate a chat completion".
class OllamaReader final : public MessageReader {
 public:
  void read(const Message& message, const Listener& listener) override {
    const Value& body = message.value;
    if (std::string model = body.find("model").text(); !model.empty()) {
      reply_.model = std::move(model);
    }
    if (created_at_.empty()) created_at_ = body.find("created_at").text();

    if (const Value said = body.find("message"); said.is_object()) {
      read_message(said, listener);
      // The raw message is complete only if it is the only one; a second message clears it.
      reply_.raw = has_begun_ ? std::string_view() : said.raw();
      has_begun_ = true;
    }
    if (!body.find("done").is_true()) return;
    is_done_ = true;
    reply_.finish_reason = body.find("done_reason").text();
    reply_.usage.input = count(body.find("prompt_eval_count"));
    reply_.usage.output = count(body.find("eval_count"));
  }

  bool has_begun() const override { return has_begun_; }
  bool is_complete() const override { return is_done_ && has_begun_; }

  Reply finish(const Listener& listener) override {
    text_.finish(listener);
    std::vector<Piece> reasoning;
    if (!thinking_.empty()) {
      reasoning.push_back({Piece::Kind::reasoning, thinking_.text(), {}, {}});
      reply_.format = "parsed";
    }
    ThinkSplit split = text_.split(!reasoning.empty());
    if (reasoning.empty() && !split.blocks.empty()) reply_.format = "think_tags";
    add_blocks(reasoning, split.blocks);

    reply_.pieces = std::move(reasoning);
    if (!split.answer.empty()) {
      reply_.pieces.push_back({Piece::Kind::text, std::move(split.answer), {}, {}});
    }
    std::ranges::move(calls_.finish(created_at_, listener), std::back_inserter(reply_.pieces));
    if (!is_done_) reply_.raw.clear();
    return std::move(reply_);
  }

 private:
  void read_message(const Value& message, const Listener& listener) {
    const Value thinking = message.find("thinking");
    thinking_.append(thinking);
    listener.reasoning(thinking.text());
    text_.append(message.find("content"), listener);
    for (const Value call : message.find("tool_calls").elements())
      calls_.read_whole(call, listener);
  }

  Reply reply_;
  std::string created_at_;
  JsonText thinking_;
  TaggedText text_;
  ChatCalls calls_;
  bool has_begun_ = false;
  bool is_done_ = false;
};

}  // namespace

std::unique_ptr<MessageReader> ollama_reader() { return std::make_unique<OllamaReader>(); }

}  // namespace spoor::llm::wire
