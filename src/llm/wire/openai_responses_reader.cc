#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "llm/wire/calls.h"
#include "llm/wire/failure_body.h"
#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"
#include "llm/wire/usage_reading.h"

namespace spoor::llm::wire {
namespace {

using json::Value;

// Joins the non-empty texts under `key` in the elements of `list`.
std::string joined(const Value& list, std::string_view key, std::string_view between) {
  std::string all;
  for (const Value element : list.elements()) {
    const std::string text = element.find(key).text();
    if (!text.empty() && !all.empty()) all += between;
    all += text;
  }
  return all;
}

// Reads a complete output item.
Piece piece_of(const Value& item) {
  Piece piece;
  piece.kind = Piece::Kind::other;
  piece.raw = item.raw();
  const Value type = item.find("type");
  if (type.equals("message")) {
    piece.kind = Piece::Kind::text;
    for (const Value part : item.find("content").elements()) {
      piece.text += part.find("text").text() + part.find("refusal").text();
    }
  } else if (type.equals("reasoning")) {
    piece.kind = Piece::Kind::reasoning;
    piece.text = joined(item.find("summary"), "text", "\n\n");
    if (piece.text.empty()) piece.text = joined(item.find("content"), "text", "\n\n");
  } else if (type.equals("function_call")) {
    piece.kind = Piece::Kind::call;
    piece.call.id = item.find("call_id").text();
    if (piece.call.id.empty()) piece.call.id = item.find("id").text();
    piece.call.name = item.find("name").text();
    piece.call.arguments = arguments_of(item.find("arguments"));
  }
  return piece;
}

// True for a message in which the model declines.
bool is_refusal(const Value& item) {
  for (const Value part : item.find("content").elements()) {
    if (part.find("type").equals("refusal")) return true;
  }
  return false;
}

// An output item while it arrives. The finished item counts; deltas are used only if the reply
// ended early.
struct Item {
  std::string raw;  // The finished item; empty before.
  std::string type, id, call_id, name;
  JsonText text, arguments;
  std::vector<JsonText> summary, content;  // For reasoning.

  Piece finish() const {
    if (!raw.empty()) {
      if (const auto document = json::parse(raw)) return piece_of(document->root());
    }
    Piece piece;
    piece.kind = Piece::Kind::text;
    piece.text = text.text();
    if (type == "function_call") {
      piece.kind = Piece::Kind::call;
      piece.call = {call_id.empty() ? id : call_id, name, arguments.text()};
    } else if (type == "reasoning") {
      piece.kind = Piece::Kind::reasoning;
      for (const JsonText& part : summary.empty() ? content : summary) {
        if (part.empty()) continue;
        if (!piece.text.empty()) piece.text += "\n\n";
        piece.text += part.text();
      }
    }
    return piece;
  }
};

JsonText& part_of(std::vector<JsonText>& parts, const Value& index) {
  constexpr std::int64_t kMost = 10'000;
  const std::int64_t at = index.integer().value_or(0);
  if (at < 0 || at >= kMost) return parts.empty() ? parts.emplace_back() : parts.back();
  if (parts.size() <= static_cast<std::size_t>(at)) parts.resize(static_cast<std::size_t>(at) + 1);
  return parts[static_cast<std::size_t>(at)];
}

// Source: platform.openai.com/docs/api-reference/responses, /responses-streaming.
class ResponsesReader final : public MessageReader {
 public:
  void read(const Message& message, const Listener& listener) override {
    const Value& body = message.value;
    const std::string type = body.find("type").text();
    if (type.starts_with("response.output_item.")) {
      read_item(body, type.ends_with(".done"), listener);
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed" || type == "response.done") {
      read_response(body.find("response"), true, listener);
    } else if (type == "response.created" || type == "response.in_progress") {
      read_response(body.find("response"), false, listener);
    } else if (type.starts_with("response.")) {
      read_delta(body, type, listener);
    } else if (type == "error") {
      if (!reply_.failure) reply_.failure = find_failure(0, body);
    } else if (body.find("output").is_array()) {
      read_response(body, true, listener);
    }
  }

  bool has_begun() const override { return has_begun_; }
  bool is_complete() const override { return is_complete_; }

  Reply finish(const Listener& listener) override {
    static_cast<void>(listener);
    for (const auto& [at, item] : items_) {
      Piece piece = item.finish();
      if (const auto document = json::parse(item.raw); document && is_refusal(document->root())) {
        reply_.is_refusal = true;
      }
      if (piece.kind == Piece::Kind::text && piece.raw.empty() && piece.text.empty()) continue;
      if (piece.kind == Piece::Kind::reasoning) reply_.format = "responses";
      reply_.pieces.push_back(std::move(piece));
    }
    return std::move(reply_);
  }

 private:
  Item& item_at(const Value& body, std::string_view id) {
    if (const auto index = body.find("output_index").integer()) return items_[*index];
    for (auto& [at, item] : items_) {
      if (!id.empty() && item.id == id) return item;
    }
    return items_[items_.empty() ? 0 : items_.rbegin()->first + 1];
  }

  void read_item(const Value& body, bool is_done, const Listener& listener) {
    const Value value = body.find("item");
    if (!value.is_object()) return;
    has_begun_ = true;
    const std::string id = value.find("id").text();
    Item& item = item_at(body, id);
    const bool is_new = item.type.empty();
    item.id = id;
    item.type = value.find("type").text();
    item.call_id = value.find("call_id").text();
    item.name = value.find("name").text();
    if (is_done) item.raw = value.raw();
    if (is_new && item.type == "function_call") listener.call(item.name);
  }

  void read_delta(const Value& body, std::string_view type, const Listener& listener) {
    const bool is_delta = type.ends_with(".delta");
    const Value delta = body.find("delta");
    if (type.starts_with("response.output_text.") || type.starts_with("response.refusal.")) {
      if (!is_delta) return;
      item_at(body, body.find("item_id").text()).text.append(delta);
      listener.text(delta.text());
    } else if (type.starts_with("response.reasoning_summary_text.") ||
               type.starts_with("response.reasoning_text.")) {
      if (is_delta) read_reasoning(body, type, listener);
    } else if (type == "response.function_call_arguments.delta") {
      item_at(body, body.find("item_id").text()).arguments.append(delta);
    } else if (type == "response.function_call_arguments.done") {
      if (!body.find("arguments").is_string()) return;
      JsonText whole;
      whole.append(body.find("arguments"));
      item_at(body, body.find("item_id").text()).arguments = std::move(whole);
    }
  }

  void read_reasoning(const Value& body, std::string_view type, const Listener& listener) {
    Item& item = item_at(body, body.find("item_id").text());
    if (item.type.empty()) item.type = "reasoning";
    const bool is_summary = type.starts_with("response.reasoning_summary_text.");
    JsonText& part = is_summary ? part_of(item.summary, body.find("summary_index"))
                                : part_of(item.content, body.find("content_index"));
    if (part.empty() && has_told_reasoning_) listener.reasoning("\n\n");
    part.append(body.find("delta"));
    has_told_reasoning_ = true;
    listener.reasoning(body.find("delta").text());
  }

  void read_response(const Value& response, bool is_end, const Listener& listener) {
    if (!response.is_object()) return;
    const bool is_whole = is_end && !has_begun_;
    has_begun_ = true;
    if (std::string id = response.find("id").text(); !id.empty()) reply_.id = std::move(id);
    if (std::string model = response.find("model").text(); !model.empty()) {
      reply_.model = std::move(model);
    }
    if (response.find("usage").is_object()) {
      reply_.usage = openai_responses_usage(response.find("usage"));
    }
    if (!is_end) return;

    is_complete_ = true;
    reply_.finish_reason = response.find("incomplete_details").find("reason").text();
    if (reply_.finish_reason.empty()) reply_.finish_reason = response.find("status").text();
    if (!reply_.failure && response.find("error")) reply_.failure = find_failure(0, response);
    add_missing(response.find("output"));
    if (is_whole) tell_all(listener);
  }

  // Adds output items from the final event that were not finished before.
  void add_missing(const Value& output) {
    std::multiset<std::string> finished;  // Two items may have the same id: each counts.
    for (const auto& [at, item] : items_) {
      if (!item.raw.empty() && !item.id.empty()) finished.insert(item.id);
    }
    std::int64_t at = 0;
    for (const Value value : output.elements()) {
      Item& item = items_[at++];
      const std::string id = value.find("id").text();
      const auto same = id.empty() ? finished.end() : finished.find(id);
      if (same != finished.end()) {
        finished.erase(same);
        continue;
      }
      if (!item.raw.empty()) continue;
      item.raw = value.raw();
      item.type = value.find("type").text();
    }
    std::erase_if(items_, [](const auto& entry) {
      return entry.second.raw.empty() && entry.second.type.empty() && entry.second.text.empty();
    });
  }

  void tell_all(const Listener& listener) const {
    for (const auto& [at, item] : items_) {
      const Piece piece = item.finish();
      if (piece.kind == Piece::Kind::text) listener.text(piece.text);
      if (piece.kind == Piece::Kind::reasoning) listener.reasoning(piece.text);
      if (piece.kind == Piece::Kind::call) listener.call(piece.call.name);
    }
  }

  Reply reply_;
  bool has_begun_ = false;
  bool is_complete_ = false;
  bool has_told_reasoning_ = false;
  std::map<std::int64_t, Item> items_;  // By output_index.
};

}  // namespace

std::unique_ptr<MessageReader> openai_responses_reader() {
  return std::make_unique<ResponsesReader>();
}

}  // namespace spoor::llm::wire
