#include "graph/diff.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace spoor::graph {

using compile::Part;
using store::Oid;

namespace {

// Copies of messages in the second prompt, with the message of the first that each is a copy of.
using Copies = std::unordered_map<Oid, Oid>;

bool same_part(const Part& a, const Part& b) {
  if (a.content != b.content) return false;
  const auto* calls_a = a.calls();
  const auto* calls_b = b.calls();
  if ((calls_a == nullptr) != (calls_b == nullptr)) return false;
  return calls_a == nullptr || *calls_a == *calls_b;
}

bool same_message(const Message& a, const Message& b) {
  const bool is_copy = a.hash() != b.hash();
  return a.role == b.role && std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(),
                                        b.parts.end(), [&](const Part& one, const Part& other) {
                                          return same_part(one, other) &&
                                                 (is_copy || one.commit == other.commit);
                                        });
}

std::unordered_set<Oid> names_in(const Prompt& prompt) {
  std::unordered_set<Oid> names;
  for (const Message& message : prompt.messages) names.insert(message.hash());
  return names;
}

// Returns the messages of `prompt` that `other` lacks, by change id.
Result<std::unordered_map<std::string, Oid>> changes_only_in(const Prompt& prompt,
                                                             const std::unordered_set<Oid>& other,
                                                             const store::Reader& reader) {
  std::unordered_map<std::string, Oid> changes;
  for (const Message& message : prompt.messages) {
    if (other.contains(message.hash())) continue;
    const auto commit = TRY(reader.commit(message.hash()));
    changes.emplace(store::change_of(*commit, message.hash()), message.hash());
  }
  return changes;
}

Result<Copies> find_copies(const Prompt& before, const Prompt& after, const store::Reader& reader) {
  const auto old = TRY(changes_only_in(before, names_in(after), reader));
  Copies copies;
  if (old.empty()) return copies;
  for (const auto& [change, name] : TRY(changes_only_in(after, names_in(before), reader))) {
    if (const auto at = old.find(change); at != old.end()) copies.emplace(name, at->second);
  }
  return copies;
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

PromptDiff compare(const Prompt& before, const Prompt& after, const Copies& copies) {
  const auto name_of = [&](const Message& message) {
    const auto at = copies.find(message.hash());
    return at == copies.end() ? message.hash() : at->second;
  };
  std::unordered_map<Oid, std::size_t> old;
  std::unordered_set<Oid> current;
  for (std::size_t i = 0; i < before.messages.size(); ++i) {
    old.emplace(before.messages[i].hash(), i);
  }
  for (const Message& message : after.messages) current.insert(name_of(message));

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
    const auto known = old.find(name_of(message));
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

}  // namespace

PromptDiff diff(const Prompt& before, const Prompt& after) { return compare(before, after, {}); }

Result<PromptDiff> diff(const Prompt& before, const Prompt& after, const store::Reader& reader) {
  return compare(before, after, TRY(find_copies(before, after, reader)));
}

}  // namespace spoor::graph
