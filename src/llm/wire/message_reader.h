#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "llm/provider.h"
#include "llm/reply.h"

namespace spoor::llm::wire {

/// Tells of a reply while it is read; does nothing for a caller that does not listen.
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

/// One wire's half of a ReplyParser: makes a reply of the JSON messages of a body. Errors that a
/// provider puts into any message under `error` are read before it (failure_body.h).
class MessageReader {
 public:
  /// What one message may say.
  struct Message {
    std::string_view event;  ///< the name of the Server-Sent Event; may be empty
    json::Value value;       ///< any JSON
    bool is_event = false;   ///< it came in a stream of Server-Sent Events
  };

  virtual ~MessageReader() = default;

  /// The next message, in order. What is unknown is passed over.
  virtual void read(const Message& message, const Listener& listener) = 0;

  /// `data: [DONE]`, where a wire has it.
  virtual void read_done() {}

  /// Has anything of a reply come?
  virtual bool has_begun() const = 0;

  /// Has the reply said that it is at its end?
  virtual bool is_complete() const = 0;

  /// All that came. Called once, last; what was held back is told now.
  virtual Reply finish(const Listener& listener) = 0;
};

std::unique_ptr<MessageReader> openai_chat_reader();
std::unique_ptr<MessageReader> openai_responses_reader();
std::unique_ptr<MessageReader> anthropic_reader();
std::unique_ptr<MessageReader> gemini_reader();
std::unique_ptr<MessageReader> ollama_reader();

}  // namespace spoor::llm::wire
