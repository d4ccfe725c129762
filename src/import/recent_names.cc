#include "import/recent_names.h"

namespace spoor::import {

void RecentNames::set(std::string_view name, std::uint32_t number) {
  const RecordKey key = RecordKey::of(name);
  if (!numbers_.insert_or_assign(key, number).second) return;
  order_.push_back(key);
  if (order_.size() <= kMost) return;
  numbers_.erase(order_.front());
  order_.pop_front();
}

std::optional<std::uint32_t> RecentNames::find(std::string_view name) const {
  const auto found = numbers_.find(RecordKey::of(name));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace spoor::import
