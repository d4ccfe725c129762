#include "compile/message_numbers.h"

#include "compile/turn.h"

namespace spoor::compile {

std::uint32_t MessageNumbers::number(const Entry& entry) {
  return version_ == 1 ? number_by_id(entry) : number_within_answer(entry);
}

std::uint32_t MessageNumbers::number_by_id(const Entry& entry) {
  if (entry.message_id.empty() || role_of(entry.type) != "assistant") return size_++;
  const auto [found, is_new] = by_id_.try_emplace(entry.message_id, size_);
  if (is_new) ++size_;
  return found->second;
}

std::uint32_t MessageNumbers::number_within_answer(const Entry& entry) {
  if (entry.type == Type::tool) {
    const bool is_own = entry.fields && open_calls_.contains(entry.fields->call_id);
    if (!is_own) open_id_ = {};
    return size_++;
  }
  const bool is_answer = role_of(entry.type) == "assistant";
  const bool continues = is_answer && !open_id_.empty() && entry.message_id == open_id_;
  if (!continues) {
    open_id_ = is_answer ? std::string_view(entry.message_id) : std::string_view();
    open_ = size_++;
    open_calls_.clear();
  }
  if (const auto* calls = entry.calls(); calls != nullptr && !open_id_.empty()) {
    for (const ToolCall& call : *calls) open_calls_.insert(call.id);
  }
  return open_;
}

}  // namespace spoor::compile
