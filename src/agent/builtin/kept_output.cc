#include "agent/builtin/kept_output.h"

#include <algorithm>

#include <fmt/format.h>

namespace spoor::agent::builtin {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

// Cuts after a line end in the second half, else between code points.
std::string_view cut_head(std::string_view text, std::size_t most) {
  const std::string_view head = text.substr(0, most);
  const std::size_t line = head.rfind('\n');
  if (line != std::string_view::npos && line >= head.size() / 2) return head.substr(0, line + 1);
  return beginning_of(text, most);
}

std::string_view cut_tail(std::string_view text, std::size_t most) {
  std::string_view tail = text.substr(text.size() - std::min(most, text.size()));
  const std::size_t line = tail.find('\n');
  if (line != std::string_view::npos && line < tail.size() / 2) return tail.substr(line + 1);
  for (int i = 0; i < 3 && !tail.empty() && continues(tail.front()); ++i) tail.remove_prefix(1);
  return tail;
}

}  // namespace

std::string_view beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < 3 && continues(text[end])) --end;
  return text.substr(0, continues(text[end]) ? most : end);
}

void KeptOutput::add(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t first = std::min(most_head_ - head_.size(), bytes.size());
  head_ += bytes.substr(0, first);
  bytes.remove_prefix(first);
  bytes.remove_prefix(bytes.size() - std::min(bytes.size(), most_tail_));

  const std::size_t free = std::min(most_tail_ - ring_.size(), bytes.size());
  ring_ += bytes.substr(0, free);
  bytes.remove_prefix(free);
  while (!bytes.empty()) {  // Full: overwrite the oldest bytes.
    const std::size_t count = std::min(most_tail_ - begin_, bytes.size());
    std::copy_n(bytes.begin(), count, ring_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = (begin_ + count) % most_tail_;
    bytes.remove_prefix(count);
  }
}

std::string KeptOutput::text(std::size_t most) const {
  std::string kept = head_;
  kept.append(ring_, begin_);
  kept.append(ring_, 0, begin_);
  if (total_ <= most && total_ == kept.size()) return kept;

  const std::string_view head = cut_head(std::string_view(kept).substr(0, head_.size()), most / 2);
  // The end of a complete text may be within the kept beginning.
  const std::string_view rest = total_ == kept.size() ? std::string_view(kept).substr(head.size())
                                                      : std::string_view(kept).substr(head_.size());
  const std::string_view tail = cut_tail(rest, most / 2);
  std::string text(head);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += fmt::format("[{} bytes left out]\n", total_ - head.size() - tail.size());
  text += tail;
  return text;
}

}  // namespace spoor::agent::builtin
