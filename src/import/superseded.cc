#include "import/superseded.h"

#include <algorithm>

#include "compile/turn.h"
#include "import/rules.h"
#include "store/ancestry.h"

namespace spoor::import {
namespace {

using compile::Turn;
using store::NamedCommit;
using store::Oid;
using store::Result;

constexpr std::uint64_t kMostTurns = 256;

/// How many commits two lines share from their roots on.
Result<std::uint64_t> shared(const store::Reader& reader, const Oid& one, std::uint64_t one_depth,
                             const Oid& other, std::uint64_t other_depth) {
  std::uint64_t low = 0;
  std::uint64_t high = std::min(one_depth, other_depth) + 1;
  while (low < high) {
    const std::uint64_t depth = low + (high - low) / 2;
    const bool is_same = TRY(store::ancestor_at(reader, one, depth)) ==
                         TRY(store::ancestor_at(reader, other, depth));
    (is_same ? low : high) = is_same ? depth + 1 : depth;
  }
  return low;
}

/// The last `count` commits of a line, oldest first.
Result<std::vector<NamedCommit>> last_of(const store::Reader& reader, const Oid& tip,
                                         std::uint64_t count) {
  std::vector<NamedCommit> commits;
  TRY(reader.run(tip, static_cast<std::size_t>(count), [&](const NamedCommit& commit) {
    commits.push_back(commit);
    return true;
  }));
  std::reverse(commits.begin(), commits.end());
  return commits;
}

/// Does `more` contain what `turn` says? Facts may have other values: counts grow.
bool contains(const Turn& more, const Turn& turn) {
  if (more.type != turn.type || more.fields.call_id != turn.fields.call_id) return false;
  if (!more.text.starts_with(turn.text)) return false;
  const auto& facts = turn.facts.values();
  const bool has_facts = std::all_of(facts.begin(), facts.end(), [&](const auto& fact) {
    return !more.facts.json(fact.first).empty();
  });
  if (!has_facts) return false;
  if (!turn.fields.tool_calls) return true;
  const auto& calls = more.fields.tool_calls;
  return calls &&
         std::all_of(turn.fields.tool_calls->begin(), turn.fields.tool_calls->end(),
                     [&](const compile::ToolCall& call) {
                       return std::find(calls->begin(), calls->end(), call) != calls->end();
                     });
}

Result<std::optional<std::vector<Superseded>>> compare(const graph::Repository& repository,
                                                       const Oid& shorter, const Oid& longer,
                                                       std::string_view tool) {
  const store::Reader& reader = repository.reader();
  const std::uint64_t short_depth = TRY(reader.commit(shorter))->depth;
  const std::uint64_t long_depth = TRY(reader.commit(longer))->depth;
  const std::uint64_t same = TRY(shared(reader, shorter, short_depth, longer, long_depth));
  const std::uint64_t count = short_depth + 1 - same;
  const std::uint64_t there = long_depth + 1 - same;
  if (count > kMostTurns || there < count) return std::optional<std::vector<Superseded>>();
  const std::vector<NamedCommit> ours = TRY(last_of(reader, shorter, count));
  const bool are_imported = std::all_of(ours.begin(), ours.end(), [&](const NamedCommit& commit) {
    return is_imported(*commit.commit, tool);
  });
  if (!are_imported) return std::optional<std::vector<Superseded>>();

  const std::uint64_t near = std::min(there, 2 * kMostTurns);
  const Oid end = TRY(store::ancestor_at(reader, longer, same + near - 1));
  std::vector<std::pair<Oid, Turn>> left;
  for (const NamedCommit& commit : TRY(last_of(reader, end, near))) {
    left.emplace_back(commit.oid, TRY(graph::read_turn(reader, commit.oid)));
  }
  std::vector<Superseded> all;
  for (const NamedCommit& commit : ours) {
    const Turn turn = TRY(graph::read_turn(reader, commit.oid));
    const auto found = std::find_if(left.begin(), left.end(),
                                    [&](const auto& each) { return contains(each.second, turn); });
    if (found == left.end()) return std::optional<std::vector<Superseded>>();
    all.emplace_back(commit.oid, found->first);
    left.erase(found);
  }
  return std::optional(std::move(all));
}

}  // namespace

bool is_earlier_reading(const Turn& there, const Turn& ours) {
  const bool has_id = !there.facts.get(fact::message_id).empty();
  const bool is_named = has_id || (ours.time && !there.facts.get(fact::session).empty());
  if (!is_named || ours.time != there.time) return false;
  const bool was_unfinished =
      there.facts.get(fact::finish_reason).empty() && !ours.facts.get(fact::finish_reason).empty();
  const auto& known = there.facts.values();
  return known.size() < ours.facts.values().size() &&
         std::all_of(known.begin(), known.end(), [&](const auto& each) {
           if (each.first == fact::usage.key && was_unfinished) return true;
           return ours.facts.json(each.first) == each.second;
         });
}

std::optional<std::vector<Superseded>> superseded(const graph::Repository& repository,
                                                  const Oid& shorter, const Oid& longer,
                                                  std::string_view tool) {
  auto compared = compare(repository, shorter, longer, tool);
  return compared ? std::move(*compared) : std::nullopt;
}

}  // namespace spoor::import
