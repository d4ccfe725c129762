#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/json/writer.h"
#include "llm/wire/calls.h"
#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"
#include "llm/wire/usage_reading.h"

namespace spoor::llm::wire {
namespace {

using json::Member;
using json::Value;

// The members of an object, each with its original bytes.
class Members {
 public:
  Members() = default;
  explicit Members(const Value& object) {
    for (const Member member : object.members()) {
      members_.emplace_back(member.key.text(), member.value.raw());
    }
  }

  // Replaces an existing member in its place, else appends it.
  void set(const std::string& key, std::string_view value) {
    const auto same = std::ranges::find(members_, key, &std::pair<std::string, std::string>::first);
    if (same == members_.end()) {
      members_.emplace_back(key, value);
    } else {
      same->second = value;
    }
  }

  std::string write() const {
    std::string object = "{";
    for (const auto& [key, value] : members_) {
      if (object.size() > 1) object += ',';
      json::append_string(object, key);
      object += ':' + value;
    }
    return object + '}';
  }

 private:
  std::vector<std::pair<std::string, std::string>> members_;  // Key, value as JSON.
};

// Reads a complete content block.
Piece piece_of(const Value& block) {
  Piece piece;
  piece.kind = Piece::Kind::other;
  piece.raw = block.raw();
  const std::string type = block.find("type").text();
  if (type == "text") {
    piece.kind = Piece::Kind::text;
    piece.text = block.find("text").text();
  } else if (type == "thinking") {
    piece.kind = Piece::Kind::reasoning;
    piece.text = block.find("thinking").text();
  } else if (type == "redacted_thinking") {
    piece.kind = Piece::Kind::reasoning;
  } else if (type == "tool_use") {
    piece.kind = Piece::Kind::call;
    piece.call.id = block.find("id").text();
    piece.call.name = block.find("name").text();
    piece.call.arguments = arguments_of(block.find("input"));
  }
  return piece;
}

// A content block that arrives as a start and deltas.
class Block {
 public:
  explicit Block(const Value& start)
      : members_(start),
        type_(start.find("type").text()),
        id_(start.find("id").text()),
        name_(start.find("name").text()) {
    text_.append(start.find("text"));
    thinking_.append(start.find("thinking"));
    for (const Value citation : start.find("citations").elements()) add_citation(citation);
  }

  void add(const Value& delta) {
    const Value type = delta.find("type");
    if (type.equals("text_delta")) {
      text_.append(delta.find("text"));
    } else if (type.equals("thinking_delta")) {
      thinking_.append(delta.find("thinking"));
    } else if (type.equals("signature_delta")) {
      if (delta.find("signature").is_string()) signature_ = delta.find("signature").raw();
    } else if (type.equals("input_json_delta")) {
      input_.append(delta.find("partial_json"));
    } else if (type.equals("citations_delta")) {
      add_citation(delta.find("citation"));
    } else {
      for (const Member member : delta.members()) {
        if (!member.key.equals("type")) members_.set(member.key.text(), member.value.raw());
      }
    }
  }

  void stop() { is_stopped_ = true; }

  // An incomplete item has no `raw`, since it cannot be sent back.
  Piece finish(bool is_message_complete) const {
    const std::string input = input_.text();
    Members members = members_;
    if (!thinking_.empty()) members.set("thinking", thinking_.raw());
    if (!text_.empty()) members.set("text", text_.raw());
    if (!signature_.empty()) members.set("signature", signature_);
    if (!citations_.empty()) members.set("citations", '[' + citations_ + ']');
    if (!input.empty()) members.set("input", input);

    const std::string raw = members.write();
    if (const auto document = json::parse(raw)) {
      Piece piece = piece_of(document->root());
      if (!is_stopped_ && !is_message_complete) piece.raw.clear();
      return piece;
    }
    // The arguments are cut off or not JSON.
    Piece piece;
    piece.kind = type_ == "tool_use" ? Piece::Kind::call : Piece::Kind::other;
    if (piece.kind == Piece::Kind::call) piece.call = {id_, name_, input};
    return piece;
  }

 private:
  void add_citation(const Value& citation) {
    if (!citation) return;
    if (!citations_.empty()) citations_ += ',';
    citations_ += citation.raw();
  }

  Members members_;
  std::string type_, id_, name_;
  JsonText text_, thinking_, input_;
  std::string signature_;  // As JSON.
  std::string citations_;
  bool is_stopped_ = false;
};

// Source: docs.anthropic.com/en/api/messages, /messages-streaming.
class AnthropicReader final : public MessageReader {
 public:
  void read(const Message& message, const Listener& listener) override {
    const Value& body = message.value;
    if (is_complete_ || !body.is_object()) return;
    const Value type = body.find("type");
    keep_transformations(body);
    if (type.equals("message_start")) {
      has_begun_ = true;
      read_head(body.find("message"));
    } else if (type.equals("content_block_start")) {
      start(body, listener);
    } else if (type.equals("content_block_delta")) {
      add(body, listener);
    } else if (type.equals("content_block_stop")) {
      if (Block* block = find(body)) block->stop();
    } else if (type.equals("message_delta")) {
      read_end(body.find("delta"));
      add_usage(body.find("usage"));
    } else if (type.equals("message_stop")) {
      is_complete_ = has_begun_;
    } else if (body.find("content").is_array()) {
      read_whole(body, listener);
    }
  }

  bool has_begun() const override { return has_begun_; }
  bool is_complete() const override { return is_complete_; }

  Reply finish(const Listener& listener) override {
    static_cast<void>(listener);
    for (const auto& [index, block] : blocks_) reply_.pieces.push_back(block.finish(is_complete_));
    for (const Piece& piece : reply_.pieces) {
      if (piece.kind == Piece::Kind::reasoning) reply_.format = "anthropic";
    }
    if (!usage_.empty()) {
      const auto document = json::parse(usage_);
      if (document) reply_.usage = anthropic_usage(document->root());
    }
    return std::move(reply_);
  }

 private:
  void read_head(const Value& message) {
    reply_.id = message.find("id").text();
    reply_.model = message.find("model").text();
    keep_transformations(message);
    read_end(message);
    add_usage(message.find("usage"));
  }

  void read_end(const Value& delta) {
    if (std::string reason = delta.find("stop_reason").text(); !reason.empty()) {
      reply_.finish_reason = std::move(reason);
    }
    keep_transformations(delta);
  }

  void keep_transformations(const Value& holder) {
    const Value said = holder.find("input_transformations");
    if (said.is_array() || said.is_object()) reply_.transformations = said.raw();
  }

  // The start of a message has the input counts, its end the output counts.
  void add_usage(const Value& usage) {
    if (!usage.is_object()) return;
    if (usage_.empty()) {
      usage_ = usage.raw();
      return;
    }
    const auto before = json::parse(usage_);
    if (!before) return;
    Members merged(before->root());
    for (const Member member : usage.members()) {
      const bool is_null = member.value.type() == json::Type::null;
      if (!is_null) merged.set(member.key.text(), member.value.raw());
    }
    usage_ = merged.write();
  }

  void start(const Value& body, const Listener& listener) {
    const auto index = body.find("index").integer();
    const Value block = body.find("content_block");
    if (!index || !block.is_object()) return;
    has_begun_ = true;
    blocks_.insert_or_assign(*index, Block(block));
    if (block.find("type").equals("tool_use")) listener.call(block.find("name").text());
    listener.text(block.find("text").text());
    listener.reasoning(block.find("thinking").text());
  }

  void add(const Value& body, const Listener& listener) {
    Block* block = find(body);
    if (block == nullptr) return;
    const Value delta = body.find("delta");
    block->add(delta);
    if (delta.find("type").equals("text_delta")) listener.text(delta.find("text").text());
    if (delta.find("type").equals("thinking_delta")) {
      listener.reasoning(delta.find("thinking").text());
    }
  }

  Block* find(const Value& body) {
    const auto found = blocks_.find(body.find("index").integer().value_or(-1));
    return found == blocks_.end() ? nullptr : &found->second;
  }

  void read_whole(const Value& message, const Listener& listener) {
    has_begun_ = is_complete_ = true;
    read_head(message);
    for (const Value block : message.find("content").elements()) {
      Piece piece = piece_of(block);
      if (piece.kind == Piece::Kind::text) listener.text(piece.text);
      if (piece.kind == Piece::Kind::reasoning) listener.reasoning(piece.text);
      if (piece.kind == Piece::Kind::call) listener.call(piece.call.name);
      reply_.pieces.push_back(std::move(piece));
    }
  }

  Reply reply_;
  bool has_begun_ = false;
  bool is_complete_ = false;
  std::map<std::int64_t, Block> blocks_;  // By index.
  std::string usage_;                     // An object, as JSON.
};

}  // namespace

std::unique_ptr<MessageReader> anthropic_reader() { return std::make_unique<AnthropicReader>(); }

}  // namespace spoor::llm::wire
