#include "import/claude_code/waiting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace spoor::import::claude_code {
namespace {

constexpr std::size_t kMostRecords = 64;
constexpr std::size_t kMostBytes = 16U << 20U;

std::vector<std::string> answered_by(const Record& record) {
  std::vector<std::string> calls;
  for (const json::Value& block : record.content.elements()) {
    if (!block.find("type").equals("tool_result")) continue;
    std::string id = block.find("tool_use_id").text();
    if (!id.empty()) calls.push_back(std::move(id));
  }
  return calls;
}

constexpr std::size_t kMostTold = 64;

using Version = std::array<int, 3>;
constexpr Version kGivesReasons = {2, 1, 246};

/// Parses `2.1.90`; missing parts are zero.
Version version_of(std::string_view text) {
  Version version = {};
  for (int& part : version) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty() || text.front() != '.') break;
    text.remove_prefix(1);
  }
  return version;
}

std::string prompt_of(const Record& record) {
  std::string prompt = record.content.text();
  for (const json::Value& block : record.content.elements()) prompt += block.find("text").text();
  return prompt;
}

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";  // U+2026
constexpr std::size_t kShortest = 32;                   // Too long to be the same by chance.

/// Replaces each run of white space with one space and trims both ends.
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

bool LateParents::is_ready(const Held& held, const Thread& thread) {
  return (held.parent.empty() || thread.knows(held.parent)) &&
         std::all_of(held.calls.begin(), held.calls.end(),
                     [&](const std::string& call) { return thread.knows_call(call); });
}

bool LateParents::is_early(const Record& record, const Thread& thread) {
  return !is_ready({{}, record.parent, answered_by(record), {}}, thread);
}

void LateParents::hold(const Record& record) {
  held_.push_back(
      {std::string(record.root.raw()), record.parent, answered_by(record), record.time});
  bytes_ += held_.back().bytes.size();
}

bool LateParents::is_full() const { return held_.size() >= kMostRecords || bytes_ >= kMostBytes; }

bool LateParents::are_after(const Record& record) const {
  return record.time && std::all_of(held_.begin(), held_.end(), [&](const Held& held) {
           return held.time && *record.time < *held.time;
         });
}

std::string LateParents::take_ready(const Thread& thread) {
  for (auto held = held_.begin(); held != held_.end(); ++held) {
    if (!is_ready(*held, thread)) continue;
    std::string bytes = std::move(held->bytes);
    bytes_ -= bytes.size();
    held_.erase(held);
    return bytes;
  }
  return {};
}

std::vector<std::string> LateParents::take_all() {
  bytes_ = 0;
  std::vector<std::string> all;
  for (Held& held : std::exchange(held_, {})) all.push_back(std::move(held.bytes));
  return all;
}

void QueuedPrompts::see(const Record& record) {
  if (const json::Value version = record.root.find("version")) version_ = version.text();
  if (!record.is_queued) return;
  has_attachments_ = true;
  told_.push_back(prompt_of(record));
  if (told_.size() > kMostTold) told_.pop_front();
}

bool QueuedPrompts::may_deliver(const Record& record) {
  if (record.type != "queue-operation" || !record.root.find("operation").equals("remove")) {
    return false;
  }
  const std::string prompt = record.root.find("content").text();
  if (prompt.empty()) return false;
  const auto told = std::find(told_.begin(), told_.end(), prompt);
  if (told != told_.end()) {
    told_.erase(told);
    return false;
  }
  const json::Value reason = record.root.find("reason");
  if (reason) return reason.equals("absorbed_mid_turn");
  return !has_attachments_ && version_of(version_) < kGivesReasons;
}

void QueuedPrompts::hold(const Record& record) {
  held_.push_back({record.root.find("content").text(), std::string(record.root.raw())});
}

std::string QueuedPrompts::take_told(const Record& turn) {
  const std::string prompt = prompt_of(turn);
  const auto found = std::find_if(held_.begin(), held_.end(),
                                  [&](const Held& held) { return held.prompt == prompt; });
  if (found == held_.end() || turn.is_assistant()) return {};
  if (turn.is_queued) std::erase(told_, prompt);
  std::string bytes = std::move(found->bytes);
  held_.erase(found);
  return bytes;
}

std::vector<std::string> QueuedPrompts::take_all() {
  std::vector<std::string> all;
  for (Held& held : std::exchange(held_, {})) all.push_back(std::move(held.bytes));
  return all;
}

void deliver(Record& record) {
  record.content = record.root.find("content");
  record.is_turn = record.is_queued = true;
  record.is_injected = record.content.text().starts_with("<task-notification>");
}

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
