#include "llm/wire/think_tags.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace spoor::llm::wire {
namespace {

constexpr std::string_view kBegin = "<think>";
constexpr std::string_view kEnd = "</think>";
constexpr std::string_view kIndent = " \t>";  // A fence may be in a list or in a quotation.
constexpr std::size_t kFence = 3;

std::size_t run_length(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of(text[at], at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

// Returns the line that begins at `at`, with its LF.
std::string_view line_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return text.substr(at, end == std::string_view::npos ? end : end + 1 - at);
}

struct Fence {
  char of = 0;  // 0: none
  std::size_t length = 0;
};

// Returns the fence that `line` opens.
Fence opened_by(std::string_view line) {
  const std::size_t at = line.find_first_not_of(kIndent);
  if (at == std::string_view::npos || (line[at] != '`' && line[at] != '~')) return {};
  const std::size_t length = run_length(line, at);
  if (length < kFence) return {};
  // The rest is the language; if it contains a backtick, this is inline code.
  if (line[at] == '`' && line.find('`', at + length) != std::string_view::npos) return {};
  return {line[at], length};
}

bool closes(std::string_view line, Fence fence) {
  const std::size_t at = line.find_first_not_of(kIndent);
  if (at == std::string_view::npos || line[at] != fence.of) return false;
  const std::size_t length = run_length(line, at);
  return length >= fence.length && trimmed(line.substr(at + length)).empty();
}

// Pairs the runs of backticks in a paragraph. Inline code ends in the paragraph in which it began.
class Paragraph {
 public:
  explicit Paragraph(std::string_view text) : text_(text) {}

  // Returns the end of the inline code opened by `length` backticks at `at`; `at` if it is not
  // closed.
  std::size_t end_of_code(std::size_t at, std::size_t length) {
    if (at >= end_) read(at);
    const auto last = last_run_.find(length);
    if (last == last_run_.end() || last->second <= at) return at;
    for (std::size_t next = at + length;;) {
      next = text_.find('`', next);
      const std::size_t run = run_length(text_, next);
      next += run;
      if (run == length) return next;
    }
  }

 private:
  // Reads from `begin` up to a blank line or a fence.
  void read(std::size_t begin) {
    last_run_.clear();
    end_ = begin;
    while (end_ < text_.size()) {
      const std::string_view line = line_at(text_, end_);
      if (end_ != begin && (trimmed(line).empty() || opened_by(line).of != 0)) return;
      for (std::size_t at = line.find('`'); at != std::string_view::npos; at = line.find('`', at)) {
        const std::size_t run = run_length(line, at);
        last_run_[run] = end_ + at;
        at += run;
      }
      end_ += line.size();
    }
  }

  std::string_view text_;
  std::size_t end_ = 0;
  std::map<std::size_t, std::size_t> last_run_;  // The last position of a run of each length.
};

class Splitter {
 public:
  Splitter(std::string_view text, LoneEnd lone_end)
      : text_(text), lone_end_(lone_end), paragraph_(text) {}

  ThinkSplit split() {
    while (at_ < text_.size()) {
      if (take_fenced_code() || take_inline_code() || take_block() || take_lone_end()) continue;
      take_plain();
    }
    if (split_.has_tags) split_.answer = std::string(trimmed(split_.answer));
    return std::move(split_);
  }

 private:
  void copy(std::size_t size) {
    split_.answer += text_.substr(at_, size);
    at_ += size;
  }

  bool is_line_start() const { return split_.answer.empty() || split_.answer.back() == '\n'; }

  bool take_fenced_code() {
    if (!is_line_start()) return false;
    const Fence fence = opened_by(line_at(text_, at_));
    if (fence.of == 0) return false;
    copy(line_at(text_, at_).size());
    while (at_ < text_.size()) {
      const std::string_view line = line_at(text_, at_);
      copy(line.size());
      if (closes(line, fence)) break;
    }
    return true;
  }

  bool take_inline_code() {
    if (text_[at_] != '`') return false;
    const std::size_t length = run_length(text_, at_);
    const std::size_t end = paragraph_.end_of_code(at_, length);
    copy(end > at_ ? end - at_ : length);
    return true;
  }

  bool take_block() {
    if (text_.substr(at_, kBegin.size()) != kBegin) return false;
    split_.has_tags = true;
    const std::size_t begin = at_ + kBegin.size();
    const std::size_t end = text_.find(kEnd, begin);
    const std::string_view block = trimmed(text_.substr(begin, end - begin));
    if (!block.empty()) split_.blocks.emplace_back(block);
    at_ = end == std::string_view::npos ? text_.size() : end + kEnd.size();
    return true;
  }

  bool take_lone_end() {
    if (text_.substr(at_, kEnd.size()) != kEnd) return false;
    if (lone_end_ == LoneEnd::thought) {
      if (split_.has_tags) return false;
      const std::string_view block = trimmed(split_.answer);
      if (!block.empty()) split_.blocks.emplace_back(block);
      split_.answer.clear();
    }
    split_.has_tags = true;
    at_ += kEnd.size();
    return true;
  }

  // Copies text up to the next character that may begin something else.
  void take_plain() {
    const std::size_t end = text_.find_first_of("`<\n", at_ + 1);
    std::size_t size = (end == std::string_view::npos ? text_.size() : end) - at_;
    if (text_[at_] == '\n') size = 1;  // A fence may follow.
    copy(size);
  }

  std::string_view text_;
  LoneEnd lone_end_;
  Paragraph paragraph_;
  std::size_t at_ = 0;
  ThinkSplit split_;
};

// Returns how many bytes at the end of `text` may be the beginning of `tag`.
std::size_t begun(std::string_view text, std::string_view tag) {
  for (std::size_t size = std::min(text.size(), tag.size() - 1); size > 0; --size) {
    if (text.substr(text.size() - size) == tag.substr(0, size)) return size;
  }
  return 0;
}

}  // namespace

ThinkSplit split_think_tags(std::string_view text, LoneEnd lone_end) {
  return Splitter(text, lone_end).split();
}

void ThinkFilter::feed(std::string_view text, const Sink& sink) {
  held_ += text;
  take(sink, false);
}

void ThinkFilter::finish(const Sink& sink) { take(sink, true); }

void ThinkFilter::take(const Sink& sink, bool is_end) {
  std::size_t at = 0;
  const std::string_view held = held_;
  while (at < held.size()) {
    const std::string_view rest = held.substr(at);
    if (is_thinking_) {
      const std::size_t end = rest.find(kEnd);
      const std::size_t kept = end == std::string_view::npos && !is_end ? begun(rest, kEnd) : 0;
      std::string_view block = rest.substr(0, end);
      block.remove_suffix(kept);
      for (const char c : block) {
        if (passes_space_ && kWhiteSpace.find(c) != std::string_view::npos) continue;
        passes_space_ = false;
        out_ += c;
      }
      at = end == std::string_view::npos ? held.size() - kept : at + end + kEnd.size();
      if (end == std::string_view::npos) break;
      flush(sink);
      is_thinking_ = false;
      passes_space_ = !has_text_;
      continue;
    }
    if (rest.front() == '<') {
      if (run_ > 0) end_run();
      const bool is_code = fence_ > 0 || inline_code_ > 0;
      if (!is_code && rest.starts_with(kBegin)) {
        flush(sink);
        is_thinking_ = true;
        passes_space_ = true;
        at += kBegin.size();
        continue;
      }
      if (!is_code && !is_end && rest.size() < kBegin.size() && kBegin.starts_with(rest)) break;
    }
    take_character(rest.front());
    ++at;
  }
  held_.erase(0, at);
  flush(sink);
}

void ThinkFilter::take_character(char c) {
  if (c == '`' || c == '~') {
    if (run_ > 0 && run_of_ != c) end_run();
    if (run_++ == 0) {
      run_of_ = c;
      run_starts_line_ = is_line_start_;
    }
  } else if (run_ > 0) {
    end_run();
  }
  if (c == '\n') {
    if (is_line_blank_) inline_code_ = 0;
    is_line_start_ = true;
    is_line_blank_ = true;
  } else {
    is_line_start_ = is_line_start_ && kIndent.find(c) != std::string_view::npos;
    is_line_blank_ = is_line_blank_ && kWhiteSpace.find(c) != std::string_view::npos;
  }
  if (passes_space_ && kWhiteSpace.find(c) != std::string_view::npos) return;
  passes_space_ = false;
  has_text_ = true;
  out_ += c;
}

void ThinkFilter::end_run() {
  if (fence_ > 0) {
    if (run_starts_line_ && run_of_ == fence_of_ && run_ >= fence_) fence_ = 0;
  } else if (run_starts_line_ && run_ >= kFence) {
    fence_ = run_;
    fence_of_ = run_of_;
  } else if (run_of_ == '`') {
    if (inline_code_ == 0) {
      inline_code_ = run_;
    } else if (inline_code_ == run_) {
      inline_code_ = 0;
    }
  }
  run_ = 0;
}

void ThinkFilter::flush(const Sink& sink) {
  if (out_.empty()) return;
  (is_thinking_ ? sink.reasoning : sink.text)(out_);
  out_.clear();
}

}  // namespace spoor::llm::wire
