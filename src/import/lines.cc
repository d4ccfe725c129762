#include "import/lines.h"

#include <algorithm>

namespace spoor::import {
namespace {

constexpr std::size_t kBlock = 256U << 10U;
constexpr std::size_t kKeep = 4U << 20U;  // A buffer larger than this is given back.

}  // namespace

/// Reads one more block behind what is there; false at the end.
Result<bool> LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < kBlock && buffer_.capacity() > kKeep) buffer_.shrink_to_fit();
  }
  const std::size_t size = buffer_.size();
  // Grows by half at least, so that a line of any length is copied O(1) times.
  const std::size_t room = std::max(kBlock, size / 2);
  buffer_.resize(size + room);
  auto count = source_.read(buffer_.data() + size, room);
  if (!count) return std::move(count).error();
  buffer_.resize(size + count.value());
  at_end_ = count.value() == 0;
  return !at_end_;
}

/// The line from begin_ to `end`; what a too long one has is passed over.
Line LineReader::take(std::size_t end, bool ended) {
  const std::uint64_t size = dropped_ + (end - begin_);
  Line line{std::string_view(buffer_).substr(begin_, end - begin_), ++number_, ended};
  if (size > most_) {
    line.text = {};
    line.dropped = size;
  }
  dropped_ = 0;
  const std::uint64_t behind = ended ? 1 : 0;
  bytes_done_ += size + behind;
  begin_ = scanned_ = end + behind;
  return line;
}

Result<std::optional<Line>> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) return std::optional(take(end, true));
    scanned_ = buffer_.size();
    if (dropped_ + (scanned_ - begin_) > most_) {
      dropped_ += scanned_ - begin_;
      begin_ = scanned_;
    }
    if (!TRY(fill())) break;
  }
  if (begin_ == buffer_.size() && dropped_ == 0) return std::optional<Line>();
  return std::optional(take(buffer_.size(), false));
}

Result<std::string_view> LineReader::peek(std::size_t size) {
  while (buffer_.size() < size) {
    if (!TRY(fill())) break;
  }
  return std::string_view(buffer_).substr(0, size);
}

}  // namespace spoor::import
