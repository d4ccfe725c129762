#include "compile/diff.h"

#include <algorithm>
#include <unordered_map>

namespace spoor::compile {
namespace {

bool same_part(const Part& a, const Part& b) {
  if (a.commit != b.commit || a.content != b.content) return false;
  const auto* calls_a = a.calls();
  const auto* calls_b = b.calls();
  if ((calls_a == nullptr) != (calls_b == nullptr)) return false;
  return calls_a == nullptr || *calls_a == *calls_b;
}

bool same_message(const Message& a, const Message& b) {
  return a.role == b.role &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), same_part);
}

void compare_settings(const Prompt& before, const Prompt& after, PromptDiff& diff) {
  for (const auto& [key, value] : before.config) {
    const auto other = after.config.find(key);
    const std::string now = other == after.config.end() ? "" : other->second;
    if (now != value) diff.config[key] = {value, now};
  }
  for (const auto& [key, value] : after.config) {
    if (!before.config.contains(key)) diff.config[key] = {"", value};
  }
}

}  // namespace

PromptDiff diff(const Prompt& before, const Prompt& after) {
  std::unordered_map<Oid, const Message*> old;
  std::unordered_map<Oid, const Message*> current;
  for (const Message& message : before.messages) old.emplace(message.hash(), &message);
  for (const Message& message : after.messages) current.emplace(message.hash(), &message);

  PromptDiff diff;
  auto next_old = before.messages.begin();
  const auto flush_removed = [&](const Oid* up_to) {
    // Old messages that are gone stand before the next old one that is still there.
    for (; next_old != before.messages.end(); ++next_old) {
      if (up_to != nullptr && next_old->hash() == *up_to) break;
      if (current.contains(next_old->hash())) continue;
      diff.messages.push_back({MessageChange::Kind::removed, &*next_old, nullptr});
      ++diff.removed;
    }
  };
  for (const Message& message : after.messages) {
    const auto known = old.find(message.hash());
    if (known == old.end()) {
      diff.messages.push_back({MessageChange::Kind::added, nullptr, &message});
      ++diff.added;
      continue;
    }
    flush_removed(&known->first);
    const bool same = same_message(*known->second, message);
    const auto kind = same ? MessageChange::Kind::unchanged : MessageChange::Kind::changed;
    diff.messages.push_back({kind, known->second, &message});
    ++(same ? diff.unchanged : diff.changed);
  }
  flush_removed(nullptr);

  diff.token_delta =
      static_cast<std::int64_t>(after.tokens) - static_cast<std::int64_t>(before.tokens);
  compare_settings(before, after, diff);
  return diff;
}

}  // namespace spoor::compile
