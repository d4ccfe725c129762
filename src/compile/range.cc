#include "compile/range.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace spoor::compile {
namespace {

bool is_held(const Entry& entry) {
  return entry.priority == Priority::pinned && !(entry.type == Type::summary && !entry.is_explicit);
}

Result<std::size_t> find_end(const std::vector<const Entry*>& entries, const Oid& end) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry* entry) { return entry->commit == end; });
  if (found != entries.end()) return static_cast<std::size_t>(found - entries.begin());
  return store::invalid(
      fmt::format("{} is no prompt entry here, or is compressed already", end.hex(12)),
      "see the entries with 'spoor pprint --all'");
}

// For each entry the first one of its piece: a call's, for the call's results.
std::vector<std::size_t> pieces_of(const std::vector<const Entry*>& entries) {
  std::vector<std::size_t> pieces(entries.size());
  std::iota(pieces.begin(), pieces.end(), 0U);
  std::unordered_map<std::string_view, std::size_t> callers;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const auto* calls = entries[i]->calls()) {
      for (const ToolCall& call : *calls) callers.insert_or_assign(call.id, i);
    }
    if (entries[i]->type != Type::tool || !entries[i]->fields) continue;
    const auto caller = callers.find(entries[i]->fields->call_id);
    if (caller != callers.end()) pieces[i] = caller->second;
  }
  return pieces;
}

}  // namespace

Result<Chosen> choose(const State& state, const CompressRange& range) {
  std::vector<const Entry*> entries;
  state.each([&](const Entry& entry) { entries.push_back(&entry); });
  if (entries.empty()) return store::invalid("there is nothing to compress");
  std::size_t from = range.from ? TRY(find_end(entries, *range.from)) : 0;
  std::size_t to = range.to ? TRY(find_end(entries, *range.to)) : entries.size() - 1;
  if (from > to) return store::invalid("the ends of the range are in the wrong order");

  const std::vector<std::size_t> pieces = pieces_of(entries);
  for (bool grew = true; grew;) {
    grew = false;
    std::vector<bool> touched(entries.size(), false);
    for (std::size_t i = from; i <= to; ++i) touched[pieces[i]] = true;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!touched[pieces[i]] || (i >= from && i <= to)) continue;
      from = std::min(from, i);
      to = std::max(to, i);
      grew = true;
    }
  }

  std::vector<bool> held(entries.size(), false);
  for (std::size_t i = from; i <= to; ++i) {
    if (is_held(*entries[i])) held[pieces[i]] = true;
  }
  Chosen chosen;
  for (std::size_t i = from; i <= to; ++i) {
    if (held[pieces[i]]) {
      ++chosen.kept;
      continue;
    }
    chosen.targets.push_back(entries[i]->commit);
    if (is_source(*entries[i])) ++chosen.sources;
  }
  if (chosen.sources == 0) {
    return store::invalid("the range holds no message to summarise",
                          "all of it is pinned or skipped");
  }
  return chosen;
}

}  // namespace spoor::compile
