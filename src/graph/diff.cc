#include "graph/diff.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace spoor::graph {

using compile::Part;
using store::Oid;

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
  std::unordered_map<Oid, std::size_t> old;
  std::unordered_set<Oid> current;
  for (std::size_t i = 0; i < before.messages.size(); ++i) {
    old.emplace(before.messages[i].hash(), i);
  }
  for (const Message& message : after.messages) current.insert(message.hash());

  PromptDiff diff;
  // Adds the removed messages right before the old message with index `end`.
  const auto add_removed_before = [&](std::size_t end) {
    std::size_t from = end;
    while (from > 0 && !current.contains(before.messages[from - 1].hash())) --from;
    for (; from < end; ++from) {
      diff.messages.push_back({MessageChange::Kind::removed, &before.messages[from], nullptr});
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
    add_removed_before(known->second);
    const Message& was = before.messages[known->second];
    const bool same = same_message(was, message);
    const auto kind = same ? MessageChange::Kind::unchanged : MessageChange::Kind::changed;
    diff.messages.push_back({kind, &was, &message});
    ++(same ? diff.unchanged : diff.changed);
  }
  add_removed_before(before.messages.size());

  diff.token_delta =
      static_cast<std::int64_t>(after.tokens) - static_cast<std::int64_t>(before.tokens);
  compare_settings(before, after, diff);
  return diff;
}

}  // namespace spoor::graph
