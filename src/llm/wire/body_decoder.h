#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "llm/wire/ndjson.h"
#include "llm/wire/sse.h"

namespace spoor::llm::wire {

/// One message of a response body: the data of an event, or a JSON value. Borrowed for the call.
struct BodyMessage {
  std::string_view event;  ///< the name of a Server-Sent Event; may be empty
  std::string_view data;
  bool is_event = false;  ///< part of a stream of Server-Sent Events
  bool is_cut = false;    ///< the body ended inside it
};

/// Splits a body into messages. The first byte that is not white space determines the form: `{` or
/// `[` for JSON values, anything else for Server-Sent Events.
class BodyDecoder {
 public:
  using OnMessage = std::function<void(const BodyMessage&)>;

  void feed(std::string_view bytes, const OnMessage& on_message);
  void finish(const OnMessage& on_message);

 private:
  enum class Form { unknown, events, values };

  std::string_view find_form(std::string_view bytes);

  Form form_ = Form::unknown;
  std::size_t mark_ = 0;  // Skipped bytes of a byte order mark.
  SseDecoder events_;
  JsonValues values_;
};

}  // namespace spoor::llm::wire
