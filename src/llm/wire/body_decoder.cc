#include "llm/wire/body_decoder.h"

namespace spoor::llm::wire {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

// Skips white space and a byte order mark before the body. Returns the rest.
std::string_view BodyDecoder::find_form(std::string_view bytes) {
  while (!bytes.empty() && form_ == Form::unknown) {
    const char c = bytes.front();
    if (mark_ < kByteOrderMark.size() && c == kByteOrderMark[mark_]) {
      ++mark_;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      form_ = c == '{' || c == '[' ? Form::values : Form::events;
      return bytes;
    }
    bytes.remove_prefix(1);
  }
  return bytes;
}

void BodyDecoder::feed(std::string_view bytes, const OnMessage& on_message) {
  bytes = find_form(bytes);
  if (form_ == Form::events) {
    events_.feed(bytes, [&](const SseEvent& event) {
      on_message({event.event, event.data, true, event.is_cut});
    });
  } else if (form_ == Form::values) {
    values_.feed(bytes, [&](std::string_view value, bool is_cut) {
      on_message({{}, value, false, is_cut});
    });
  }
}

void BodyDecoder::finish(const OnMessage& on_message) {
  if (form_ == Form::events) {
    events_.finish([&](const SseEvent& event) {
      on_message({event.event, event.data, true, event.is_cut});
    });
  } else if (form_ == Form::values) {
    values_.finish([&](std::string_view value, bool is_cut) {
      on_message({{}, value, false, is_cut});
    });
  }
}

}  // namespace spoor::llm::wire
