#include "llm/wire/reply_parser.h"

#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "llm/wire/body_decoder.h"
#include "llm/wire/failure_body.h"
#include "llm/wire/message_reader.h"

namespace spoor::llm::wire {
namespace {

using json::Document;
using json::parse_one;
using json::Reading;
using json::Value;

constexpr std::string_view kSpace = " \t\r\n";

constexpr std::string_view kDone = "[DONE]";
constexpr std::string_view kEndedEarly = "the stream ended before the reply did";

// Whether the first line is one of Server-Sent Events, or the beginning of one.
bool begins_stream(std::string_view body) {
  const std::size_t end = body.find_first_of(":\r\n");
  const std::string_view name = body.substr(0, end);
  for (const std::string_view field : {"data", "event", "id", "retry", ""}) {
    if (end == std::string_view::npos ? field.starts_with(name) : field == name) return true;
  }
  return false;
}

// Connects a body decoder to a wire's message reader.
class BodyParser final : public ReplyParser {
 public:
  explicit BodyParser(std::unique_ptr<MessageReader> reader) : reader_(std::move(reader)) {}

  bool feed(std::string_view bytes, const OnEvent& on_event) override {
    if (has_given_up_) return false;
    const bool is_too_long = bytes.size() > kMaxReply - size_;
    bytes = bytes.substr(0, kMaxReply - size_);
    size_ += bytes.size();
    head_ += bytes.substr(0, kMaxFailureRaw - head_.size());

    const Listener listener(on_event);
    decoder_.feed(bytes, [&](const BodyMessage& message) { take(message, listener); });
    if (is_too_long) {
      give_up(make_failure(Failure::Kind::malformed, "the reply is longer than 64 MiB"));
    }
    return !has_given_up_;
  }

  Reply finish(const OnEvent& on_event) override {
    const Listener listener(on_event);
    if (!has_given_up_) {
      decoder_.finish([&](const BodyMessage& message) { take(message, listener); });
    }
    const bool is_complete = reader_->is_complete();
    const bool has_begun = reader_->has_begun();
    Reply reply = reader_->finish(listener);
    if (!failure_) failure_ = std::move(reply.failure);
    if (!failure_ && !is_complete) failure_ = why_incomplete(has_begun);
    reply.failure = std::move(failure_);
    return reply;
  }

 private:
  void take(const BodyMessage& message, const Listener& listener) {
    has_message_ = has_message_ || !message.is_cut;
    if (has_given_up_) return;
    const std::string_view data = trimmed(message.data, kSpace);
    if (data == kDone) {
      reader_->read_done();
      return;
    }
    if (data.empty()) return;

    const Reading reading = parse_one(data, document_);
    if (!reading || reading.end != data.size()) {
      take_broken(message, data);
      return;
    }
    const Value value = document_.root();
    const bool is_error = message.event == "error" || value.find("error");
    if (!failure_ && is_error) failure_ = find_failure(0, value);
    reader_->read({message.event, value, message.is_event}, listener);
  }

  // Parsing continues after a broken event. After a broken JSON value it stops, because the start
  // of the next value is unknown.
  void take_broken(const BodyMessage& message, std::string_view data) {
    if (message.is_cut || reader_->is_complete()) return;  // Torn, or no longer needed.
    Failure failure =
        make_failure(Failure::Kind::malformed, "a part of the reply is no JSON", data);
    if (message.event == "error") {
      failure = make_failure(Failure::Kind::server, std::string(data.substr(0, 1000)), data);
    }
    if (!message.is_event) {
      give_up(std::move(failure));
    } else if (!failure_) {
      failure_ = std::move(failure);
    }
  }

  void give_up(Failure failure) {
    has_given_up_ = true;
    if (!failure_) failure_ = std::move(failure);
  }

  // Returns the failure of a body that ended without its own end or an error.
  Failure why_incomplete(bool has_begun) const {
    if (!has_begun && size_ > 0 && size_ == head_.size()) {
      const std::string_view body = trimmed(head_, kSpace);
      Document document;
      const Reading reading = parse_one(body, document);
      if (reading && reading.end == body.size()) {
        if (auto failure = find_failure(0, document.root())) return *std::move(failure);
      }
      const bool is_torn =
          reading.status == Reading::Status::torn || (!has_message_ && begins_stream(body));
      if (!body.empty() && !is_torn) {
        return make_failure(Failure::Kind::malformed, "the answer is no reply of this provider's",
                            head_);
      }
    }
    return make_failure(Failure::Kind::network, std::string(kEndedEarly));
  }

  std::unique_ptr<MessageReader> reader_;
  BodyDecoder decoder_;
  Document document_;
  std::string head_;  // The first bytes of the body, to show it if it is not a reply.
  std::size_t size_ = 0;
  bool has_given_up_ = false;
  bool has_message_ = false;        // A whole one.
  std::optional<Failure> failure_;  // The first failure.
};

std::unique_ptr<MessageReader> make_reader(Wire wire) {
  switch (wire) {
    case Wire::openai_chat:
      return openai_chat_reader();
    case Wire::openai_responses:
      return openai_responses_reader();
    case Wire::anthropic:
      return anthropic_reader();
    case Wire::gemini:
      return gemini_reader();
    case Wire::ollama:
      return ollama_reader();
  }
  throw std::logic_error("a wire without a reader");
}

std::optional<Wire> wire_of(const Value& body) {
  if (body.find("choices").is_array()) return Wire::openai_chat;
  if (body.find("output").is_array()) return Wire::openai_responses;
  if (body.find("candidates").is_array()) return Wire::gemini;
  if (body.find("content").is_array()) return Wire::anthropic;
  if (body.find("message").is_object()) return Wire::ollama;
  return std::nullopt;
}

}  // namespace

std::unique_ptr<ReplyParser> make_reply_parser(Wire wire) {
  return std::make_unique<BodyParser>(make_reader(wire));
}

bool is_reply(std::string_view body) {
  const auto document = json::parse(body);
  return document && (wire_of(document->root()) || document->root().find("error"));
}

Reply read_reply(std::string_view body) {
  Reply reply;
  Document document;
  const std::string_view text = trimmed(body, kSpace);
  const Reading reading = parse_one(text, document);
  if (!reading || reading.end != text.size()) {
    reply.failure = make_failure(Failure::Kind::malformed, "the reply is no JSON", body);
    reply.received = body;
    return reply;
  }
  const Value value = document.root();
  if (const auto wire = wire_of(value)) {
    const OnEvent nobody;
    const Listener listener(nobody);
    const auto reader = make_reader(*wire);
    reader->read({{}, value, false}, listener);
    reply = reader->finish(listener);
  }
  if (!reply.failure && value.find("error")) reply.failure = find_failure(0, value);
  reply.received = body;
  return reply;
}

}  // namespace spoor::llm::wire
