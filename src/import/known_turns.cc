#include "import/known_turns.h"

#include <algorithm>
#include <utility>

#include "import/thread_key.h"
#include "store/ancestry.h"
#include "store/commit.h"

namespace spoor::import {
namespace {

using compile::Turn;
using graph::Repository;
using store::Oid;

// An answer comes early in a conversation, or nothing is met.
constexpr std::uint64_t kMostFront = 64;

struct Said {
  RecordKey key;
  bool is_answer = false;
};

/// What a commit says, where it is a turn that can be read. What cannot is fsck's to report:
/// nothing is met there.
std::optional<Said> said_by(const Repository& repository, const Oid& oid) {
  const auto commit = repository.reader().commit(oid);
  if (!commit) return std::nullopt;
  const bool compresses = commit.value()->op == store::Op::compress;
  if (!compresses && commit.value()->op != store::Op::append) return std::nullopt;
  const auto turn = graph::read_turn(repository.reader(), oid);
  if (!turn) return std::nullopt;
  return Said{thread_key(turn.value(), compresses), is_answer(turn.value())};
}

}  // namespace

RecordKey longer_front(const RecordKey& front, const RecordKey& turn) {
  return RecordKey::of(front.hex(32) + turn.hex(32));
}

bool is_answer(const Turn& turn) {
  if (turn.type != compile::Type::assistant && turn.type != compile::Type::reasoning) return false;
  const bool calls = turn.fields.tool_calls && !turn.fields.tool_calls->empty();
  return calls || !turn.text.empty();
}

// --- Fronts -----------------------------------------------------------------

namespace {

std::optional<RecordKey> front_of(const Repository& repository, const Oid& tip) {
  const auto last = repository.reader().commit(tip);
  if (!last) return std::nullopt;
  RecordKey front;
  for (std::uint64_t depth = 0; depth <= std::min(last.value()->depth, kMostFront); ++depth) {
    const auto at = store::ancestor_at(repository.reader(), tip, depth);
    const auto said = at ? said_by(repository, at.value()) : std::nullopt;
    if (!said) return std::nullopt;
    front = longer_front(front, said->key);
    if (said->is_answer) return front;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> Fronts::find(const Repository& repository, const std::string& tool,
                                              const RecordKey& front) {
  if (tools_.try_emplace(tool).second) {
    for (const store::Ref& ref : TRY(repository.store().refs(store::branch_ref(tool + "/")))) {
      add(repository, tool, ref.name, ref.target);
    }
  }
  const auto& by_front = tools_[tool].by_front;
  const auto found = by_front.find(front);
  if (found == by_front.end()) return std::vector<std::string>();
  return std::vector<std::string>(found->second.begin(), found->second.end());
}

void Fronts::add(const Repository& repository, const std::string& tool, const std::string& ref,
                 const Oid& tip) {
  const auto lines = tools_.find(tool);
  if (lines == tools_.end() || lines->second.seen.contains(ref)) return;
  const auto front = of(repository, tip);
  if (!front) return;  // It may grow one.
  lines->second.seen.insert(ref);
  lines->second.by_front[*front].insert(ref);
}

std::optional<RecordKey> Fronts::of(const Repository& repository, const Oid& tip) {
  const auto [at, is_new] = by_tip_.try_emplace(tip);
  if (is_new) at->second = front_of(repository, tip);
  return at->second;
}

// --- KnownTurns -------------------------------------------------------------

Result<void> KnownTurns::add_line(const Oid& tip) {
  std::optional<Oid> at = tip;
  while (at && known_.insert(*at).second) {
    const auto commit = TRY(repository_.reader().commit(*at));
    const auto& parents = commit->parents;
    const auto parent = parents.empty() ? std::nullopt : std::optional<Oid>(parents.front());
    behind(parent).unread.push_back(*at);
    at = parent;
  }
  return {};
}

void KnownTurns::add(const std::optional<Oid>& parent, const Oid& turn, const RecordKey& key) {
  if (known_.insert(turn).second) behind(parent).by_key[key].push_back(turn);
}

std::vector<Oid> KnownTurns::find(const std::optional<Oid>& parent, const RecordKey& key) {
  std::vector<Oid> all;
  if (parent && !has_behind(*parent)) return all;
  Children& children = behind(parent);
  for (const Oid& each : std::exchange(children.unread, {})) {
    if (const auto said = said_by(repository_, each)) children.by_key[said->key].push_back(each);
  }
  const auto found = children.by_key.find(key);
  if (found == children.by_key.end()) return all;
  for (const Oid& each : found->second) {
    if (!given_.contains(each)) all.push_back(each);
  }
  return all;
}

}  // namespace spoor::import
