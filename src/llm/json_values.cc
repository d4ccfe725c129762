#include "llm/json_values.h"

#include <algorithm>
#include <utility>

#include "base/json/finder.h"

namespace spoor::llm {
namespace {

using json::Finder;
using json::Value;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kFence = 3;

void skip_blank(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

bool is_json(std::string_view language) {
  constexpr std::string_view kJson = "json";
  return std::ranges::equal(language, kJson, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

// Reads a text once, from beginning to end.
class Values {
 public:
  explicit Values(std::string_view text) : text_(text), finder_(text) {}

  std::vector<std::string_view> read() {
    while (true) {
      at_ = text_.find_first_of("{`~", at_);
      if (at_ == std::string_view::npos) break;
      if (text_[at_] == '{') {
        take_object();
      } else {
        take_fence();
      }
      if (finder_.is_torn()) break;  // The rest is inside a value.
    }
    fenced_.insert(fenced_.end(), bare_.begin(), bare_.end());
    return std::move(fenced_);
  }

 private:
  void take_object() {
    const Value value = finder_.value_at(at_);
    if (value) bare_.push_back(value.raw());
    at_ = value ? finder_.end_of(value) : at_ + 1;
  }

  void take_fence() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of(text_[begin], begin), text_.size());
    const bool is_fence =
        at_ - begin >= kFence && begin >= text_from_ && (text_[begin] == '`' || begins_line(begin));
    if (!is_fence || !opens_json()) return;
    const Value value = finder_.value_at(fenced_begin());
    if (!value) return;
    fenced_.push_back(value.raw());
    if (value.is_object()) bare_.push_back(value.raw());
    // The objects of a list are reported too, but fences inside it are text.
    (value.is_array() ? text_from_ : at_) = finder_.end_of(value);
  }

  bool begins_line(std::size_t at) const {
    if (at == 0) return true;
    const std::size_t before = text_.find_last_not_of(" \t", at - 1);
    return before == std::string_view::npos || text_[before] == '\n';
  }

  // Skips the fence's language. Returns true if the fence opens JSON.
  bool opens_json() {
    const std::size_t begin = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    at_ = std::min(text_.find_first_of(" \t\r\n`{[", begin), text_.size());
    const std::string_view language = text_.substr(begin, at_ - begin);
    is_open_ = !language.empty() || !is_open_;
    return is_open_ && (language.empty() || is_json(language));
  }

  // Returns the position of a fence's value: an object or a list on the fence's line, else the next
  // line.
  std::size_t fenced_begin() const {
    const std::size_t begin = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    if (begin < text_.size() && (text_[begin] == '{' || text_[begin] == '[')) return begin;
    return std::min(text_.find('\n', begin), text_.size());
  }

  std::string_view text_;
  Finder finder_;
  std::vector<std::string_view> fenced_, bare_;
  std::size_t at_ = 0;
  std::size_t text_from_ = 0;  // Fences before this are inside a list.
  bool is_open_ = false;       // Inside a fenced block.
};

}  // namespace

std::string_view without_preface(std::string_view text) {
  constexpr std::string_view kOpen = "<think>";
  constexpr std::string_view kClose = "</think>";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  skip_blank(text);
  if (!text.starts_with(kOpen)) return text;
  const std::size_t end = text.find(kClose);
  if (end == std::string_view::npos) return {};  // All of it is reasoning.
  text.remove_prefix(end + kClose.size());
  skip_blank(text);
  return text;
}

std::vector<std::string_view> json_values(std::string_view text) {
  return Values(without_preface(text)).read();
}

}  // namespace spoor::llm
