#include "import/claude_code/recent_prompts.h"

#include <algorithm>

namespace spoor::import::claude_code {
namespace {

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";  // U+2026
constexpr std::size_t kShortest = 32;                   // A beginning that is no accident.

/// White space folded to one space, none at the ends.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!space) out.push_back(c);
    if (space && !out.empty() && out.back() != ' ') out.push_back(' ');
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

void RecentPrompts::add(std::string_view prompt) {
  prompts_.push_back({folded(prompt.substr(0, kLength)), prompt.size() <= kLength});
  if (prompts_.size() > kPrompts) prompts_.pop_front();
}

bool RecentPrompts::repeats(std::string_view line) const {
  if (line.size() > kLength) return false;
  const std::string wanted = folded(line);
  const bool cut = std::string_view(wanted).ends_with(kEllipsis);
  std::string_view front = wanted;
  if (cut) front.remove_suffix(kEllipsis.size());
  while (front.ends_with(' ')) front.remove_suffix(1);
  return std::any_of(prompts_.begin(), prompts_.end(), [&](const Prompt& prompt) {
    if (prompt.is_whole && prompt.text == wanted) return true;
    return cut && front.size() >= kShortest && prompt.text.starts_with(front);
  });
}

}  // namespace spoor::import::claude_code
