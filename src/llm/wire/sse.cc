#include "llm/wire/sse.h"

namespace spoor::llm::wire {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void SseDecoder::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (after_cr_) {
      after_cr_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (end == std::string_view::npos) return;

    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(on_event);
  }
}

void SseDecoder::finish(const OnEvent& on_event) {
  if (!line_.empty()) end_line(on_event);
  dispatch(on_event, true);
}

void SseDecoder::end_line(const OnEvent& on_event) {
  std::string_view line = line_;
  if (is_first_line_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  is_first_line_ = false;

  if (line.empty()) {
    dispatch(on_event, false);
  } else {
    read_field(line);
  }
  line_.clear();
}

void SseDecoder::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value;
  if (colon != std::string_view::npos) value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);

  if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (name == "event") {
    event_ = value;
  }
  // `id` and `retry` are for reconnecting, which no provider supports. A comment has no name.
}

void SseDecoder::dispatch(const OnEvent& on_event, bool is_cut) {
  if (has_data_) on_event({event_, data_, is_cut});
  event_.clear();
  data_.clear();
  has_data_ = false;
}

}  // namespace spoor::llm::wire
