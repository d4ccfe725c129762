#include "import/claude_code/late_parents.h"

#include <algorithm>
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

}  // namespace

bool LateParents::is_ready(const Held& held, const Thread& thread) {
  return (held.parent.empty() || thread.knows(held.parent)) &&
         std::all_of(held.calls.begin(), held.calls.end(),
                     [&](const std::string& call) { return thread.knows_call(call); });
}

bool LateParents::is_early(const Record& record, const Thread& thread) {
  return !is_ready({{}, record.parent, answered_by(record)}, thread);
}

void LateParents::hold(const Record& record) {
  held_.push_back({std::string(record.root.raw()), record.parent, answered_by(record)});
  bytes_ += held_.back().bytes.size();
}

bool LateParents::is_full() const { return held_.size() >= kMostRecords || bytes_ >= kMostBytes; }

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

}  // namespace spoor::import::claude_code
