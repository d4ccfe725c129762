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

// Returns where a block begins; npos if none does. `<rationales` is another word.
std::size_t tag_in(std::string_view text) {
  std::size_t at = text.find(kBegin);
  while (at != std::string_view::npos && at + kBegin.size() < text.size()) {
    if (std::string_view("> \t\r\n").find(text[at + kBegin.size()]) != std::string_view::npos)
      return at;
    at = text.find(kBegin, at + 1);
  }
  return std::string_view::npos;
}

// Returns the length of the longest end of `text` that may begin a block.
std::size_t begun(std::string_view text) {
  for (std::size_t length = std::min(text.size(), kBegin.size()); length > 0; --length) {
    if (kBegin.starts_with(text.substr(text.size() - length))) return length;
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
    if (is_inside_) {
      const std::size_t end = held_.find(kEnd);
      if (end == std::string::npos) return shown(std::move(text));
      reasons_.push_back(
          reason_in(std::string_view(held_).substr(kBegin.size(), end - kBegin.size())));
      held_.erase(0, end + kEnd.size());
      held_.erase(0, std::min(held_.find_first_not_of('\n'), held_.size()));
      is_inside_ = false;
    }
    const std::size_t at = tag_in(held_);
    if (at == std::string::npos) break;
    text += held_.substr(0, at);
    held_.erase(0, at);
    is_inside_ = true;
  }
  const std::size_t ready = held_.size() - begun(held_);
  text += held_.substr(0, ready);
  held_.erase(0, ready);
  return shown(std::move(text));
}

std::string ReasonsFilter::finish() {
  is_inside_ = false;
  return shown(std::exchange(held_, {}));
}

std::vector<std::string> ReasonsFilter::take_reasons() { return std::exchange(reasons_, {}); }

std::string ReasonsFilter::shown(std::string text) {
  if (!has_shown_) text.erase(0, std::min(text.find_first_not_of(" \n\r\t"), text.size()));
  if (!text.empty()) has_shown_ = true;
  return text;
}

}  // namespace spoor::cli
