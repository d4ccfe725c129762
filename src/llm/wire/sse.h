#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace spoor::llm::wire {

/// One event of a stream of Server-Sent Events. Borrowed for the call.
struct SseEvent {
  std::string_view event;  ///< its name; empty: it had none
  std::string_view data;   ///< its `data:` lines, joined by LF
  bool is_cut = false;     ///< the bytes ended before the blank line that ends an event
};

/// Cuts bytes into Server-Sent Events, however they arrive. Source: the WHATWG HTML standard,
/// "Server-sent events": lines end with LF, CR or CRLF; a byte order mark at the start, comments
/// and unknown fields are passed over; an event without data is none.
///
/// One difference: an event that the end of the bytes cuts off is told too, as `is_cut`.
class SseDecoder {
 public:
  using OnEvent = std::function<void(const SseEvent&)>;

  void feed(std::string_view bytes, const OnEvent& on_event);
  void finish(const OnEvent& on_event);

 private:
  void end_line(const OnEvent& on_event);
  void read_field(std::string_view line);
  void dispatch(const OnEvent& on_event, bool is_cut);

  std::string line_;
  std::string event_;
  std::string data_;
  bool has_data_ = false;
  bool is_first_line_ = true;
  bool after_cr_ = false;  // A LF right here belongs to the CR before it.
};

}  // namespace spoor::llm::wire
