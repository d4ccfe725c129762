#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace spoor::llm::wire {

/// One Server-Sent Event. Borrowed for the call.
struct SseEvent {
  std::string_view event;  ///< its name; may be empty
  std::string_view data;   ///< its `data:` lines, joined by LF
  bool is_cut = false;     ///< the bytes ended before the blank line that ends the event
};

/// Splits bytes that arrive in any pieces into Server-Sent Events. Source: the WHATWG HTML
/// standard, "Server-sent events": lines end with LF, CR or CRLF; a byte order mark at the start,
/// comments and unknown fields are skipped; an event without data is ignored.
///
/// One difference: an event that is cut off by the end of the bytes is reported, with `is_cut`.
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
  bool after_cr_ = false;  // A LF at this point belongs to the CR before it.
};

}  // namespace spoor::llm::wire
