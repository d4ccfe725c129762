#include "graph/rewrite.h"

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "compile/call_pairs.h"
#include "graph/directives.h"
#include "store/ancestry.h"

namespace spoor::graph {

using compile::CallPairs;
using compile::Entry;
using compile::Extra;
using compile::read_extra;
using compile::State;
using compile::targets_of;
using store::Commit;

namespace {

// Returns the depth of `commit`, which must be on the first-parent chain of `tip`.
Result<std::uint64_t> depth_on_chain(const store::Reader& reader, const Oid& tip,
                                     const Oid& commit) {
  if (!TRY(store::is_on_line(reader, commit, tip))) {
    return not_found(
        fmt::format("{} is not on the first-parent chain of this branch", commit.hex(12)),
        "list it with 'spoor log --all-commits'");
  }
  return TRY(reader.commit(commit))->depth;
}

// Returns the first-parent chain of `tip` from `depth` on; oldest first.
Result<std::vector<Oid>> chain_from(const store::Reader& reader, const Oid& tip,
                                    std::uint64_t depth) {
  const std::uint64_t end = TRY(reader.commit(tip))->depth + 1;
  std::vector<Oid> chain;
  if (depth >= end) return chain;
  TRY(reader.run(tip, static_cast<std::size_t>(end - depth), [&](const store::NamedCommit& each) {
    chain.push_back(each.oid);
    return true;
  }));
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::optional<Oid> parent_of(const Commit& commit) {
  if (commit.parents.empty()) return std::nullopt;
  return commit.parents[0];
}

// Copies commits one after another.
class Replay {
 public:
  Replay(Draft& draft, const store::Reader& reader, std::optional<Oid> tip)
      : draft_(draft), op_(draft), reader_(reader), tip_(tip) {}

  void drop(const Oid& original) {
    if (!first_) first_ = original;
    dropped_.insert(original);
    done_.dropped.push_back(original);
  }

  /// Removes a commit. If it is a merge, the commits that only it brought in are also lost.
  Result<void> take_out(const Oid& original) {
    has_dropped_merge_ |= TRY(reader_.commit(original))->parents.size() > 1;
    drop(original);
    return {};
  }

  /// Finds commits of `there`, change ids and names, that are copies of the same originals as
  /// commits of `own`, and uses them instead of new copies.
  Result<void> know(const std::unordered_map<std::string, Oid>& there,
                    const std::vector<Oid>& own) {
    for (const Oid& original : own) {
      const auto commit = TRY(reader_.commit(original));
      const auto twin = there.find(store::change_of(*commit, original));
      if (twin == there.end() || commit->op != store::Op::append) continue;
      const auto other = TRY(reader_.commit(twin->second));
      if (other->content == commit->content && other->fields == commit->fields) {
        twins_.emplace(original, twin->second);
      }
    }
    return {};
  }

  bool is_dropped(const Oid& original) const { return dropped_.contains(original); }

  Result<void> add(const Oid& original) { return add(original, *TRY(reader_.commit(original))); }

  /// `commit` is the original with changes.
  Result<void> add(const Oid& original, Commit commit) {
    if (const auto twin = twins_.find(original); twin != twins_.end()) {
      copies_.emplace(original, twin->second);
      done_.dropped.push_back(original);
      return {};
    }
    const auto targets = TRY(new_targets(commit));
    if (!targets) return drop(original), Result<void>();
    if (!first_) first_ = original;
    std::vector<Oid> parents;
    if (tip_) parents.push_back(*tip_);
    if (commit.parents.size() > 1) {
      if (TRY(brings_back(commit.parents[1]))) {
        return conflict(
            fmt::format("merge {} would bring back the rewritten commits", original.hex(12)),
            "rewrite the branch that it merged first, or abandon the merge");
      }
      const Oid other = mapped(commit.parents[1]);
      if (tip_ && TRY(store::is_ancestor(reader_, other, *tip_))) {
        if (commit.mode == store::Mode::append) return drop(original), Result<void>();
        return conflict(
            fmt::format("merge {} brings in commits that are already there", original.hex(12)),
            "abandon the merge first, or rebase onto another commit");
      }
      parents.push_back(other);
    }
    if (!tip_ && commit.op == store::Op::merge) {
      return conflict(
          fmt::format("merge {} would be left without its first side", original.hex(12)),
          "abandon the merge, too, or keep a turn before it");
    }
    if (!tip_ && commit.op != store::Op::append) return drop(original), Result<void>();
    tip_ = TRY(draft_.copy(original, std::move(commit), parents, *targets));
    copies_.emplace(original, *tip_);
    done_.copies.emplace_back(original, *tip_);
    return {};
  }

  Result<Rewritten> finish(const std::string& ref) {
    if (!tip_) {
      return invalid("nothing would remain of this branch",
                     "delete it with 'spoor branch --delete'");
    }
    TRY(draft_.move(ref, tip_));
    op_.finish();
    done_.tip = *tip_;
    return std::move(done_);
  }

 private:
  // Reports whether `other` contains originals of what is copied or dropped here.
  Result<bool> brings_back(const Oid& other) const {
    if (!first_) return false;
    return store::is_ancestor(reader_, *first_, other);
  }

  Oid mapped(const Oid& oid) const {
    const auto found = copies_.find(oid);
    return found == copies_.end() ? oid : found->second;
  }

  // Returns the targets of the copy; nullopt if all targets of the original are dropped.
  Result<std::optional<std::vector<Oid>>> new_targets(const Commit& commit) {
    const std::vector<Oid> old = TRY(targets_of(reader_, commit));
    std::vector<Oid> targets;
    for (const Oid& target : old) {
      if (is_dropped(target)) continue;
      const Oid now = mapped(target);
      // A pick names entries of its other side, which is not in the history of the tip.
      const bool is_pick = commit.op == store::Op::merge;
      if (!is_pick && tip_) {
        const auto known = check_entry(reader_, *tip_, now);
        // Entries that a dropped merge brought in are lost, and so are the directives on them.
        const bool went =
            has_dropped_merge_ && !known && known.error().code == Error::Code::not_found;
        if (went) continue;
        TRY(known);
      }
      targets.push_back(now);
    }
    if (targets.empty() && !old.empty()) return std::optional<std::vector<Oid>>();
    return std::optional(std::move(targets));
  }

  Draft& draft_;
  Draft::Op op_;  // All copies, or none.
  const store::Reader& reader_;
  std::optional<Oid> tip_;
  std::optional<Oid> first_;  // The oldest original of the chain.
  bool has_dropped_merge_ = false;
  std::unordered_map<Oid, Oid> copies_;
  std::unordered_map<Oid, Oid> twins_;  // Originals to copies that exist already.
  std::unordered_set<Oid> dropped_;
  Rewritten done_;
};

// Returns `commits` and everything paired with them: a call and its results.
Result<std::unordered_set<Oid>> whole_pieces(const State& state, const std::vector<Oid>& commits) {
  CallPairs pairs;
  std::vector<std::pair<Oid, std::size_t>> pieces;
  for (const Entry& entry : state.entries()) {  // Includes summarised ones.
    const Entry* one = &entry;
    pieces.emplace_back(entry.commit, pairs.add(std::span(&one, 1)));
  }
  std::unordered_set<Oid> all(commits.begin(), commits.end());
  std::unordered_set<std::size_t> touched;
  for (const auto& [commit, piece] : pieces) {
    if (all.contains(commit)) touched.insert(piece);
  }
  for (const auto& [commit, piece] : pieces) {
    if (touched.contains(piece)) all.insert(commit);
  }
  return all;
}

}  // namespace

Result<std::vector<Oid>> own_commits(const store::Reader& reader, const Oid& tip, const Oid& other,
                                     const std::function<void(const store::NamedCommit&)>& visit) {
  std::uint64_t low = TRY(store::shared_length(reader, tip, other));
  const std::uint64_t others = TRY(reader.commit(other))->depth + 1 - low;
  bool has_merge = false;
  TRY(reader.run(
      other, static_cast<std::size_t>(others),
      [&](const store::NamedCommit& named) {
        has_merge |= named.commit->parents.size() > 1;
        visit(named);
        return true;
      },
      store::Reader::Keep::nothing));
  // What merges share with the other history are again the oldest of what is left.
  std::uint64_t high = has_merge ? TRY(reader.commit(tip))->depth + 1 : low;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const Oid oid = TRY(store::ancestor_at(reader, tip, middle));
    if (TRY(store::is_ancestor(reader, oid, other))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return chain_from(reader, tip, low);
}

Result<Rewritten> rebase(Draft& draft, const store::Reader& reader, const std::string& ref,
                         const Oid& onto) {
  const Oid tip = TRY(draft.tip_of(ref));
  TRY(reader.commit(onto));
  if (TRY(store::is_ancestor(reader, onto, tip))) return Rewritten{{}, {}, tip};
  std::unordered_map<std::string, Oid> there;
  const auto own = TRY(own_commits(reader, tip, onto, [&](const store::NamedCommit& named) {
    there.emplace(store::change_of(*named.commit, named.oid), named.oid);
  }));
  Replay replay(draft, reader, onto);
  TRY(replay.know(there, own));
  for (const Oid& original : own) TRY(replay.add(original));
  return replay.finish(ref);
}

Result<Rewritten> cherry_pick(Draft& draft, const store::Reader& reader, const std::string& ref,
                              const std::vector<Oid>& commits) {
  if (commits.empty()) {
    return invalid("nothing to pick", "name one commit or more");
  }
  Replay replay(draft, reader, TRY(draft.tip(ref)));
  for (const Oid& original : commits) {
    const auto commit = TRY(reader.commit(original));
    if (commit->op == store::Op::merge) {
      return invalid(fmt::format("{} is a merge", original.hex(12)),
                     "merge its other side with 'spoor merge --mode pick'");
    }
    TRY(replay.add(original));
  }
  return replay.finish(ref);
}

Result<Rewritten> abandon(Draft& draft, const store::Reader& reader, const Folder& folder,
                          const std::string& ref, const std::vector<Oid>& commits) {
  if (commits.empty()) {
    return invalid("nothing to abandon", "name one commit or more");
  }
  const Oid tip = TRY(draft.tip_of(ref));
  const auto gone = TRY(whole_pieces(*TRY(folder.at(tip)), commits));
  std::uint64_t oldest = TRY(reader.commit(tip))->depth;
  for (const Oid& commit : gone) {
    oldest = std::min(oldest, TRY(depth_on_chain(reader, tip, commit)));
  }
  const auto chain = TRY(chain_from(reader, tip, oldest));
  Replay replay(draft, reader, parent_of(*TRY(reader.commit(chain.front()))));
  for (const Oid& original : chain) {
    if (gone.contains(original)) {
      TRY(replay.take_out(original));
    } else {
      TRY(replay.add(original));
    }
  }
  return replay.finish(ref);
}

Result<Rewritten> amend(Draft& draft, const store::Reader& reader, const std::string& ref,
                        const Oid& commit, const Amendment& amendment) {
  if (!amendment.text && !amendment.message && !amendment.author) {
    return invalid("nothing to amend", "give a text, a message or an author");
  }
  if (amendment.author) TRY(check_author(*amendment.author));
  const Oid tip = TRY(draft.tip_of(ref));
  Draft::Op op(draft);  // Includes the new text.
  const auto chain = TRY(chain_from(reader, tip, TRY(depth_on_chain(reader, tip, commit))));
  Commit changed = *TRY(reader.commit(commit));
  const bool has_text = changed.op == store::Op::append || changed.content;
  if (amendment.text && !has_text) {
    return invalid(fmt::format("{} has no text", commit.hex(12)),
                   "amend a message, an edit, a summary or a reason");
  }
  if (amendment.text) TRY(draft.set_text(*amendment.text, changed));
  if (amendment.message) {
    Extra extra = changed.extra ? TRY(read_extra(*TRY(reader.content(*changed.extra)))) : Extra();
    extra.message = *amendment.message;
    TRY(draft.set_extra(extra, changed));
  }
  if (amendment.author) changed.author = *amendment.author;
  changed.raw.clear();
  changed.prompt.reset();

  Replay replay(draft, reader, parent_of(changed));
  TRY(replay.add(commit, changed));
  for (std::size_t i = 1; i < chain.size(); ++i) TRY(replay.add(chain[i]));
  auto done = replay.finish(ref);
  if (done) op.finish();
  return done;
}

}  // namespace spoor::graph
