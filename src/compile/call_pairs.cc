#include "compile/call_pairs.h"

namespace spoor::compile {

std::size_t CallPairs::add(std::span<const Entry* const> message) {
  const std::size_t number = pieces_.size();
  std::size_t piece = number;
  for (const Entry* entry : message) {
    if (const auto* calls = entry->calls()) {
      for (const ToolCall& call : *calls) callers_.insert_or_assign(call.id, number);
    }
    if (entry->type != Type::tool || !entry->fields) continue;
    const auto caller = callers_.find(entry->fields->call_id);
    if (caller != callers_.end() && caller->second != number) piece = pieces_[caller->second];
  }
  pieces_.push_back(piece);
  return piece;
}

}  // namespace spoor::compile
