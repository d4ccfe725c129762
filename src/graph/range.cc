#include "graph/range.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "compile/call_pairs.h"

namespace spoor::graph {

using compile::CallPairs;
using compile::Entry;
using compile::is_source;
using store::Priority;
using store::Type;

namespace {

bool is_held(const Entry& entry) {
  return entry.priority == Priority::pinned && !(entry.type == Type::summary && !entry.is_explicit);
}

bool is_wanted(const Entry& entry, const CompressRange& range) {
  if (range.keep_reasoning && entry.type == Type::reasoning) return false;
  return !range.only || entry.type == *range.only;
}

Result<std::size_t> find_end(const std::vector<const Entry*>& entries, const Oid& end) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry* entry) { return entry->commit == end; });
  if (found != entries.end()) return static_cast<std::size_t>(found - entries.begin());
  return invalid(
      fmt::format("{} is not a prompt entry here, or is already compressed", end.hex(12)),
      "list the entries with 'spoor pprint --all'");
}

// Widens the range until it includes no piece in part. Looks at each entry once: only an entry new
// to the range can widen it.
struct Bounds {
  std::size_t from;
  std::size_t to;  // Included.
};
Bounds widened(Bounds range, const std::vector<std::size_t>& pieces) {
  std::vector<Bounds> reach(pieces.size());  // By piece: its first and last entry.
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i] == i) reach[i].from = i;
    reach[pieces[i]].to = i;
  }
  Bounds seen = range;
  const auto see = [&](std::size_t i) {
    range.from = std::min(range.from, reach[pieces[i]].from);
    range.to = std::max(range.to, reach[pieces[i]].to);
  };
  for (std::size_t i = range.from; i <= seen.to; ++i) see(i);
  while (range.from < seen.from || seen.to < range.to) {
    if (range.from < seen.from) {
      see(--seen.from);
    } else {
      see(++seen.to);
    }
  }
  return range;
}

}  // namespace

Result<Chosen> choose(const State& state, const CompressRange& range) {
  std::vector<const Entry*> entries;
  state.each([&](const Entry& entry) { entries.push_back(&entry); });
  if (entries.empty()) {
    return invalid("nothing to compress", "write or import some turns first");
  }
  Bounds ends{0, entries.size() - 1};
  if (range.from) ends.from = TRY(find_end(entries, *range.from));
  if (range.to) ends.to = TRY(find_end(entries, *range.to));
  if (ends.from > ends.to) {
    return invalid("the ends of the range are in the wrong order",
                   "name the older end first; list the order with 'spoor pprint --all'");
  }

  CallPairs pairs;
  std::vector<std::size_t> pieces;
  pieces.reserve(entries.size());
  for (const Entry* entry : entries) pieces.push_back(pairs.add(std::span(&entry, 1)));
  const auto [from, to] = widened(ends, pieces);

  std::vector<bool> held(entries.size(), false);
  for (std::size_t i = from; i <= to; ++i) {
    if (is_held(*entries[i]) || !is_wanted(*entries[i], range)) held[pieces[i]] = true;
  }
  Chosen chosen;
  for (std::size_t i = from; i <= to; ++i) {
    if (held[pieces[i]]) {
      ++chosen.kept;
      continue;
    }
    chosen.targets.push_back(entries[i]->commit);
    if (range.only || is_source(*entries[i])) ++chosen.sources;
  }
  if (chosen.sources == 0) {
    return invalid("the range contains no message to summarise", "all of it is pinned or skipped");
  }
  return chosen;
}

}  // namespace spoor::graph
