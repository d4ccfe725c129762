#include "cli/repl/line_source.h"

#include <array>

#include <fmt/format.h>

namespace spoor::cli {

Result<std::optional<SourceLine>> PipeSource::next(bool /*goes_on*/) {
  std::size_t end = buffer_.find('\n', searched_);
  while (end == std::string::npos && !is_over_) {
    searched_ = buffer_.size();
    std::array<char, 65'536> bytes;
    const std::size_t count = TRY(terminal_.read(bytes));
    buffer_.append(bytes.data(), count);
    is_over_ = count == 0;
    end = buffer_.find('\n', searched_);
  }
  searched_ = 0;
  if (buffer_.empty()) return std::optional<SourceLine>();
  const std::size_t length = std::min(end, buffer_.size());
  SourceLine line{buffer_.substr(0, length), fmt::format("stdin:{}", ++line_)};
  buffer_.erase(0, length + 1);
  return std::optional(std::move(line));
}

Result<std::optional<SourceLine>> TextSource::next(bool /*goes_on*/) {
  if (at_ >= text_.size()) return std::optional<SourceLine>();
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  SourceLine line{text_.substr(at_, end - at_), fmt::format("{}:{}", name_, ++line_)};
  at_ = end + 1;
  return std::optional(std::move(line));
}

}  // namespace spoor::cli
