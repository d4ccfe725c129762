#include "import/refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "import/records.h"
#include "import/rules.h"
#include "store/ancestry.h"
#include "store/reader.h"

namespace spoor::import {
namespace {

using compile::Turn;
using store::NamedCommit;
using store::Oid;

/// The refs of one base name, numbered, and their targets.
class Names {
 public:
  static Result<Names> read(const graph::Draft& draft, const std::string& base) {
    Names names(base);
    for (const store::Ref& ref : TRY(draft.refs(base))) {
      if (names.is_numbered(ref.name)) names.held_.emplace(ref.name, ref.target);
    }
    return names;
  }

  std::string name(std::size_t number) const {
    return number == 1 ? base_ : fmt::format("{}-{}", base_, number);
  }

  std::optional<Oid> at(const std::string& name) const {
    const auto found = held_.find(name);
    return found == held_.end() ? std::nullopt : std::optional<Oid>(found->second);
  }

  const std::map<std::string, Oid>& held() const { return held_; }

 private:
  explicit Names(std::string base) : base_(std::move(base)) {}

  bool is_numbered(std::string_view name) const {
    if (name == base_) return true;
    name.remove_prefix(base_.size());
    if (name.size() < 2 || name[0] != '-') return false;
    return std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  std::string base_;
  std::map<std::string, Oid> held_;
};

/// Finds commits in the histories of others. Reads each commit once, even if several histories
/// contain it.
class Search {
 public:
  /// Commits of `wanted` that cannot be read are not found.
  Search(const store::Reader& reader, const std::vector<Oid>& wanted,
         const std::atomic<bool>* cancel)
      : reader_(reader), cancel_(cancel) {
    for (const Oid& each : wanted) {
      const auto commit = reader_.commit(each);
      if (!commit) continue;
      left_.insert(each);
      oldest_ = std::min(oldest_, commit.value()->gen);
    }
  }

  /// Returns the wanted commits in the history of `tip` that no earlier call found. An unreadable
  /// history contains nothing.
  Result<std::vector<Oid>> find_in(const Oid& tip) {
    std::vector<Oid> found = find_on_line(tip);
    std::vector<Oid> open = {tip};
    while (!open.empty() && !left_.empty()) {
      const Oid from = open.back();
      open.pop_back();
      const auto read = reader_.run(from, kAll, [&](const store::NamedCommit& at) {
        if (is_cancelled() || at.commit->gen < oldest_) return false;
        if (!seen_.insert(at.oid).second) return false;
        if (left_.erase(at.oid) > 0) found.push_back(at.oid);
        const std::vector<Oid>& parents = at.commit->parents;
        if (parents.size() > 1) open.insert(open.end(), parents.begin() + 1, parents.end());
        return !left_.empty();
      });
      if (is_cancelled()) return interrupted("the import was stopped", kStoppedHint);
      if (!read && read.error().code == Error::Code::interrupted) return read.error();
    }
    return found;
  }

 private:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kFew = 16;

  bool is_cancelled() const { return cancel_ != nullptr && cancel_->load(); }

  /// Looks for a few commits with the skip pointers first, because a line may be long.
  std::vector<Oid> find_on_line(const Oid& tip) {
    std::vector<Oid> found;
    if (left_.size() > kFew) return found;
    for (const Oid& each : left_) {
      const auto is_here = store::is_on_line(reader_, each, tip);
      if (is_here && is_here.value()) found.push_back(each);
    }
    for (const Oid& each : found) left_.erase(each);
    return found;
  }

  const store::Reader& reader_;
  const std::atomic<bool>* cancel_;
  std::unordered_set<Oid> left_;  // Wanted, and not found yet.
  std::unordered_set<Oid> seen_;
  std::uint64_t oldest_ =
      std::numeric_limits<std::uint64_t>::max();  // Lowest generation of the wanted commits.
};

/// Places the wanted commits of one base.
class Placing {
 public:
  Placing(const graph::Repository& repository, graph::Draft& draft, Names names, std::string tool,
          const std::vector<Oid>& tips, const std::atomic<bool>* cancel)
      : repository_(repository),
        reader_(repository.reader()),
        draft_(draft),
        names_(std::move(names)),
        tool_(std::move(tool)),
        tips_(tips),
        cancel_(cancel),
        free_(tips.begin(), tips.end()) {}

  Result<std::vector<ImportedRef>> place() {
    TRY(find_free());
    TRY(find_holders());
    std::vector<ImportedRef> placed;
    const bool is_shorter = has_more();
    for (const Oid& tip : tips_) {
      auto holder = holder_of(tip);
      if (!holder && is_shorter) holder = named_at(tip);  // Its commits stay where they are.
      placed.push_back(holder ? std::move(*holder) : TRY(take_next(tip)));
    }
    return placed;
  }

 private:
  bool is_free(const Oid& target) const { return free_.contains(target); }

  /// Finds the refs that may move: their targets are in a tip's history.
  Result<void> find_free() {
    std::vector<Oid> targets;
    for (const auto& [name, target] : names_.held()) {
      if (!is_free(target)) targets.push_back(target);
    }
    Search search(reader_, targets, cancel_);
    for (const Oid& tip : tips_) {
      for (const Oid& target : TRY(search.find_in(tip))) free_.insert(target);
    }
    return {};
  }

  /// Finds, for each tip, the first ref that may not move and has the tip in its history.
  Result<void> find_holders() {
    Search search(reader_, tips_, cancel_);
    for (const auto& [name, target] : names_.held()) {
      if (is_free(target)) continue;
      for (const Oid& tip : TRY(search.find_in(target))) holders_.emplace(tip, name);
    }
    return {};
  }

  /// Returns true if the first ref contains more than these lines: a longer copy or a user's
  /// commits.
  bool has_more() const {
    const auto now = names_.at(names_.name(1));
    if (!now || is_free(*now)) return false;
    return tool_.empty() || !superseded(repository_, *now, tips_.front(), tool_);
  }

  std::optional<ImportedRef> holder_of(const Oid& tip) const {
    const auto holder = holders_.find(tip);
    if (holder == holders_.end()) return longer_than(tip);
    return ImportedRef{holder->second, *names_.at(holder->second), false, tip};
  }

  std::optional<ImportedRef> named_at(const Oid& tip) const {
    for (const auto& [name, target] : names_.held()) {
      if (target == tip) return ImportedRef{name, target, false, tip};
    }
    return std::nullopt;
  }

  /// Returns the first ref that contains a longer copy of the line that ends in `tip`.
  std::optional<ImportedRef> longer_than(const Oid& tip) const {
    if (tool_.empty()) return std::nullopt;
    for (const auto& [name, target] : names_.held()) {
      if (is_free(target)) continue;
      const auto longer = superseded(repository_, tip, target, tool_);
      if (!longer || superseded(repository_, target, tip, tool_)) continue;
      return ImportedRef{name, target, false, longer->empty() ? tip : longer->back().second};
    }
    return std::nullopt;
  }

  /// Returns true if `tip` supersedes `now`, the end of a shorter copy, and maps the replaced
  /// commits.
  bool replaces(const Oid& tip, const Oid& now) {
    if (tool_.empty()) return false;
    const auto replaced = superseded(repository_, now, tip, tool_);
    if (!replaced) return false;
    for (const auto& [before, after] : *replaced) draft_.maps(before, after);
    return true;
  }

  Result<ImportedRef> take_next(const Oid& tip) {
    for (;;) {
      const std::string name = names_.name(next_++);
      const auto now = names_.at(name);
      if (now && !is_free(*now) && !replaces(tip, *now)) continue;
      const bool moves = now != tip;
      if (moves) TRY(draft_.move(name, tip));
      return ImportedRef{name, tip, moves, tip};
    }
  }

  const graph::Repository& repository_;
  const store::Reader& reader_;
  graph::Draft& draft_;
  Names names_;
  const std::string tool_;  // The importer of the lines; empty for refs that are not branches.
  const std::vector<Oid>& tips_;
  const std::atomic<bool>* cancel_;
  std::unordered_set<Oid> free_;  // The tips, and the refs' targets in their histories.
  std::unordered_map<Oid, std::string> holders_;  // By tip.
  std::size_t next_ = 1;
};

/// Returns `codex` for `refs/heads/codex/1a2b3c4d`; empty for other refs.
std::string tool_of(std::string_view base) {
  constexpr std::string_view kBranches = "refs/heads/";
  if (!base.starts_with(kBranches)) return {};
  base.remove_prefix(kBranches.size());
  return std::string(base.substr(0, base.find('/')));
}

}  // namespace

bool is_held(const graph::Repository& repository, const Oid& commit, const Oid& tip) {
  const auto held = store::is_ancestor(repository.reader(), commit, tip);
  return held && held.value();
}

Result<std::vector<ImportedRef>> place_refs(const graph::Repository& repository,
                                            graph::Draft& draft,
                                            const std::vector<WantedRef>& wanted,
                                            const std::atomic<bool>* cancel) {
  std::vector<ImportedRef> all;
  for (std::size_t i = 0; i < wanted.size();) {
    const std::string& base = wanted[i].base;
    std::vector<Oid> tips;
    for (; i < wanted.size() && wanted[i].base == base; ++i) tips.push_back(wanted[i].tip);
    Placing placing(repository, draft, TRY(Names::read(draft, base)), tool_of(base), tips, cancel);
    for (ImportedRef& ref : TRY(placing.place())) all.push_back(std::move(ref));
  }
  return all;
}

// --- Superseded lines ---------------------------------------------------------

namespace {

constexpr std::uint64_t kMostTurns = 256;

/// Returns the number of commits that two lines share from their roots on.
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

/// Returns the last `count` commits of a line, oldest first.
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

/// Returns true if `turn` is a whole answer, and `other` has an id of its own.
bool is_another_answer(const Turn& other, const Turn& turn) {
  const std::string id = turn.facts.get(fact::message_id);
  const std::string others = other.facts.get(fact::message_id);
  return !id.empty() && !others.empty() && id != others &&
         !turn.facts.get(fact::finish_reason).empty();
}

/// Returns true if `more` has the content of `turn` and possibly more. Facts may have other values,
/// because counts grow.
bool contains(const Turn& more, const Turn& turn) {
  if (is_another_answer(more, turn)) return false;
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
  auto next = left.begin();
  for (const NamedCommit& commit : ours) {
    const Turn turn = TRY(graph::read_turn(reader, commit.oid));
    const auto found = std::find_if(next, left.end(),
                                    [&](const auto& each) { return contains(each.second, turn); });
    if (found == left.end()) return std::optional<std::vector<Superseded>>();
    all.emplace_back(commit.oid, found->first);
    next = found + 1;
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
