#include "cli/terminal/output.h"

#include "cli/terminal/untrusted.h"

namespace spoor::cli {
namespace {

constexpr std::size_t kFlushAt = 65'536;

}  // namespace

void Output::append(std::string_view text) {
  if (raw_) {
    buffer_ += text;
    return;
  }
  HiddenText hidden;
  while (!text.empty()) {  // In parts, so that a large text is never in memory twice.
    text.remove_prefix(append_visible_part(buffer_, text, kFlushAt, hidden));
    if (buffer_.size() >= kFlushAt) flush();
  }
}

Output& Output::print(std::string_view text) {
  append(text);
  if (buffer_.size() >= kFlushAt) flush();
  return *this;
}

Output& Output::print(Style style, std::string_view text) {
  const std::string_view parameters = color_ ? sgr(style) : std::string_view();
  if (parameters.empty()) return print(text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) {
      buffer_.append("\x1b[").append(parameters).append("m");
      append(text.substr(0, end));
      buffer_.append("\x1b[0m");
    }
    if (end < text.size()) buffer_ += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (buffer_.size() >= kFlushAt) flush();
  return *this;
}

Output& Output::verbatim(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kFlushAt) flush();
  return *this;
}

void Output::flush() {
  if (!buffer_.empty() && !is_closed()) {
    closed_ = !terminal_->write(stream_, buffer_);
    is_mid_line_ = buffer_.back() != '\n';
  }
  buffer_.clear();
}

void Output::attach(Terminal& terminal) {
  flush();
  terminal_ = &terminal;
}

}  // namespace spoor::cli
