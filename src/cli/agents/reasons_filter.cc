#include "cli/agents/reasons_filter.h"

#include <algorithm>
#include <utility>

#include "base/json/reader.h"
#include "compile/turn.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kBegin = "<rationale";
constexpr std::string_view kEnd = "</rationale>";
constexpr std::size_t kReason = 200;  // Columns.

// Returns the length of the longest end of `text` that may begin `tag`.
std::size_t begun(std::string_view text, std::string_view tag) {
  for (std::size_t length = std::min(text.size(), tag.size() - 1); length > 0; --length) {
    if (tag.starts_with(text.substr(text.size() - length))) return length;
  }
  return 0;
}

// Returns the sentence in a block: `why` of an object, else its text.
std::string reason_in(std::string_view block) {
  const std::size_t body = block.find('>');
  if (body == std::string_view::npos) return {};
  block.remove_prefix(body + 1);
  const auto document = json::parse(block);
  const json::Value why = document ? document->root().find("why") : json::Value();
  return compile::preview(why.is_string() ? why.text() : std::string(block), kReason);
}

}  // namespace

std::string ReasonsFilter::take(std::string_view piece) {
  held_ += piece;
  std::string text;
  while (true) {
    const std::string_view tag = is_inside_ ? kEnd : kBegin;
    const std::size_t at = held_.find(tag);
    if (at == std::string::npos) break;
    if (is_inside_) {
      reasons_.push_back(reason_in(std::string_view(held_).substr(0, at)));
      held_.erase(0, at + tag.size());
      held_.erase(0, std::min(held_.find_first_not_of('\n'), held_.size()));
    } else {
      text += held_.substr(0, at);
      held_.erase(0, at + tag.size());
    }
    is_inside_ = !is_inside_;
  }
  if (is_inside_) return shown(std::move(text));
  const std::size_t ready = held_.size() - begun(held_, kBegin);
  text += held_.substr(0, ready);
  held_.erase(0, ready);
  return shown(std::move(text));
}

std::string ReasonsFilter::finish() {
  const std::string rest = std::exchange(held_, {});
  return std::exchange(is_inside_, false) ? std::string() : shown(rest);
}

std::vector<std::string> ReasonsFilter::take_reasons() { return std::exchange(reasons_, {}); }

std::string ReasonsFilter::shown(std::string text) {
  if (!has_shown_) text.erase(0, std::min(text.find_first_not_of(" \n\r\t"), text.size()));
  if (!text.empty()) has_shown_ = true;
  return text;
}

}  // namespace spoor::cli
