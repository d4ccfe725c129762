#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "llm/provider.h"
#include "llm/reply.h"

namespace spoor::llm::wire {

/// Reports events while a reply is read; does nothing if the caller passed no callback.
class Listener {
 public:
  explicit Listener(const OnEvent& on_event) : on_event_(on_event) {}

  void text(std::string_view text) const { tell(ReplyEvent::Kind::text, text); }
  void reasoning(std::string_view text) const { tell(ReplyEvent::Kind::reasoning, text); }
  void call(std::string_view name) const { tell(ReplyEvent::Kind::call, name); }

 private:
  void tell(ReplyEvent::Kind kind, std::string_view text) const {
    if (on_event_ && !text.empty()) on_event_({kind, text});
  }

  const OnEvent& on_event_;
};

/// The wire-specific part of a ReplyParser: builds a reply from the JSON messages of a body. Errors
/// that a provider puts under `error` in any message are handled before it (failure_body.h).
class MessageReader {
 public:
  /// One message of a body.
  struct Message {
    std::string_view event;  ///< the name of the Server-Sent Event; may be empty
    json::Value value;       ///< any JSON
    bool is_event = false;   ///< part of a stream of Server-Sent Events
  };

  virtual ~MessageReader() = default;

  /// Reads the next message, in order. Ignores unknown content.
  virtual void read(const Message& message, const Listener& listener) = 0;

  /// Handles `data: [DONE]`, for wires that send it.
  virtual void read_done() {}

  /// Returns true if any part of a reply was received.
  virtual bool has_begun() const = 0;

  /// Returns true if the reply contained its end.
  virtual bool is_complete() const = 0;

  /// Returns everything received. Called once, last; reports text that was held back.
  virtual Reply finish(const Listener& listener) = 0;
};

std::unique_ptr<MessageReader> openai_chat_reader();
std::unique_ptr<MessageReader> openai_responses_reader();
std::unique_ptr<MessageReader> anthropic_reader();
std::unique_ptr<MessageReader> gemini_reader();
std::unique_ptr<MessageReader> ollama_reader();

}  // namespace spoor::llm::wire
