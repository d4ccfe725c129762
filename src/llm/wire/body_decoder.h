#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "llm/wire/ndjson.h"
#include "llm/wire/sse.h"

namespace spoor::llm::wire {

/// One message of a response's body: the data of an event, or a JSON value. Borrowed for the call.
struct BodyMessage {
  std::string_view event;  ///< the name of a Server-Sent Event; empty: it has none
  std::string_view data;
  bool is_event = false;  ///< it came in a stream of Server-Sent Events
  bool is_cut = false;    ///< the body ended within it
};

/// Takes a body apart into messages. Its first byte that is no white space tells what it is:
/// `{` or `[` JSON values, anything else Server-Sent Events.
class BodyDecoder {
 public:
  using OnMessage = std::function<void(const BodyMessage&)>;

  void feed(std::string_view bytes, const OnMessage& on_message);
  void finish(const OnMessage& on_message);

 private:
  enum class Form { unknown, events, values };

  std::string_view find_form(std::string_view bytes);

  Form form_ = Form::unknown;
  std::size_t mark_ = 0;  // Bytes of a byte order mark that were passed over.
  SseDecoder events_;
  JsonValues values_;
};

}  // namespace spoor::llm::wire
