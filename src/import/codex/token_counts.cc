#include "import/codex/token_counts.h"

#include <utility>

#include "import/taken.h"

namespace spoor::import::codex {

void TokenCounts::close_answer() {
  if (std::exchange(awaits_count_, false)) ++missed_;
}

void TokenCounts::begin_input() {
  close_answer();
  spare_ = {};
}

void TokenCounts::begin_answer() {
  close_answer();
  answer_ = has_records_ ? Count{} : std::exchange(spare_, {});
  awaits_count_ = answer_.usage.empty();
}

bool TokenCounts::add(const json::Value& info, bool is_open) {
  const json::Value total = info.find("total_token_usage");
  const json::Value usage = info.find("last_token_usage");
  if (says_nothing(usage)) return false;
  if (total && total.raw() == std::exchange(total_, std::string(total.raw()))) return false;
  if (has_records_) return false;
  return add({std::string(usage.raw()), {}}, is_open);
}

bool TokenCounts::add_record(const json::Value& record, bool is_open) {
  has_records_ = true;
  const json::Value usage = record.find("usage");
  if (says_nothing(usage)) return false;
  const json::Value response_id = record.find("response_id");
  return add({std::string(usage.raw()), std::string(response_id.raw())}, is_open);
}

bool TokenCounts::add(Count count, bool is_open) {
  missed_ = 0;
  if (awaits_count_) {
    // If the answer was already written, its count is lost.
    if (is_open) answer_ = std::move(count);
    awaits_count_ = false;
  } else {
    spare_ = std::move(count);
  }
  return true;
}

Count TokenCounts::take_answer() { return std::exchange(answer_, {}); }

Count TokenCounts::take_spare() { return std::exchange(spare_, {}); }

}  // namespace spoor::import::codex
