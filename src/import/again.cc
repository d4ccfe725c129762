#include "import/again.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "compile/turn.h"
#include "graph/carry.h"
#include "import/rules.h"
#include "store/ancestry.h"

namespace spoor::import {
namespace {

using graph::Repository;
using store::NamedCommit;
using store::Oid;
using store::Ref;

constexpr std::string_view kBranches = "refs/heads/";
constexpr std::size_t kCopiedBytes = 8U << 20U;

/// The branches of one line, and their imported commits, parents before children.
struct ReadLine {
  std::vector<Ref> branches;
  std::vector<NamedCommit> commits;
};

std::string_view importer_of(std::string_view branch) {
  branch.remove_prefix(kBranches.size());
  return branch.substr(0, branch.find('/'));
}

Result<ReadLine> read_all(const Repository& repository, const std::string& line) {
  ReadLine read;
  std::unordered_set<Oid> seen;
  for (const Ref& ref : TRY(repository.store().refs(line))) {
    const auto is_it = [&](const std::string& name) { return name == line; };
    if (line_of_branch(ref.name, is_it) != line) continue;
    read.branches.push_back(ref);
    std::vector<Oid> open = {ref.target};
    while (!open.empty()) {
      const Oid oid = open.back();
      open.pop_back();
      if (!seen.insert(oid).second) continue;
      const auto commit = TRY(repository.reader().commit(oid));
      open.insert(open.end(), commit->parents.begin(), commit->parents.end());
      if (is_imported(*commit, importer_of(line))) read.commits.push_back({oid, commit});
    }
  }
  std::sort(read.commits.begin(), read.commits.end(), [](const auto& a, const auto& b) {
    return a.commit->gen != b.commit->gen ? a.commit->gen < b.commit->gen : a.oid < b.oid;
  });
  return read;
}

/// Keys that identify the same record in two readings, most reliable first. An empty key never
/// matches.
using Key = Result<std::string> (*)(const Repository&, const store::Commit&);

std::string told_at(const store::Commit& commit) {
  return commit.time ? fmt::format(" {}", commit.time->micros) : std::string();
}
std::string bytes_of(const store::Commit& commit) {
  return commit.content ? ' ' + commit.content->oid.hex() : std::string();
}

constexpr std::array<Key, 5> kKeys = {
    [](const Repository&, const store::Commit& commit) -> Result<std::string> {
      const std::string fields = commit.fields ? commit.fields->hex() : std::string();
      return std::string(compile::kind_of(commit)) + told_at(commit) + bytes_of(commit) +
             " fields " + fields;
    },
    [](const Repository&, const store::Commit& commit) -> Result<std::string> {
      return std::string(compile::kind_of(commit)) + told_at(commit) + bytes_of(commit);
    },
    [](const Repository& repository, const store::Commit& commit) -> Result<std::string> {
      if (!commit.fields) return std::string();
      const auto text = TRY(repository.reader().content(*commit.fields));
      const compile::Fields fields = TRY(compile::read_fields(*text));
      if (!fields.call_id.empty()) return "result " + fields.call_id;
      if (!fields.tool_calls || fields.tool_calls->empty()) return std::string();
      return "call " + fields.tool_calls->front().id;
    },
    [](const Repository&, const store::Commit& commit) -> Result<std::string> {
      return commit.time ? std::string(compile::kind_of(commit)) + told_at(commit) : std::string();
    },
    [](const Repository&, const store::Commit& commit) -> Result<std::string> {
      return commit.content ? std::string(compile::kind_of(commit)) + bytes_of(commit)
                            : std::string();
    },
};

class Reimport {
 public:
  Reimport(Repository& repository, const Repository& fresh, std::string kept)
      : old_(repository), new_(fresh), kept_(std::move(kept)) {}

  Result<Updated> run() {
    for (const std::string& line : TRY(lines())) TRY(match(line));
    if (marked_.empty()) return std::move(done_);
    TRY(copy_objects());
    old_.drop_caches();
    TRY(old_.transact("import --again", graph::OnConflict::fail,
                      [&](graph::Draft& draft) { return write(draft); }));
    return std::move(done_);
  }

 private:
  Result<std::vector<std::string>> lines() const {
    std::set<std::string> names;
    std::set<std::string> lines;
    for (const Ref& ref : TRY(new_.store().refs(kBranches))) {
      names.insert(ref.name);
      lines.insert(
          line_of_branch(ref.name, [&](const auto& name) { return names.contains(name); }));
    }
    return std::vector<std::string>(lines.begin(), lines.end());
  }

  // --- Matching old and new commits -------------------------------------------

  Result<void> match(const std::string& line) {
    const ReadLine before = TRY(read_all(old_, line));
    const ReadLine now = TRY(read_all(new_, line));
    if (is_shorter(before, now)) {
      done_.shorter.push_back(line.substr(kBranches.size()));
      return {};
    }
    marked_.push_back(line);
    wanted_.insert(wanted_.end(), now.branches.begin(), now.branches.end());
    TRY(find_same(before, now));
    return find_stand_ins(before, now);
  }

  // A user's copy of the session may be older than the one that was imported.
  static bool is_shorter(const ReadLine& before, const ReadLine& now) {
    const auto last = [](const ReadLine& line) {
      std::optional<std::int64_t> time;
      for (const NamedCommit& each : line.commits) {
        if (each.commit->time) time = std::max(time.value_or(0), each.commit->time->micros);
      }
      return time;
    };
    const auto count = [](const ReadLine& line) {
      return std::count_if(line.commits.begin(), line.commits.end(), [](const NamedCommit& each) {
        return each.commit->type == store::Type::user;
      });
    };
    if (last(before) && last(now)) return *last(now) < *last(before);
    return count(now) < count(before);
  }

  Result<void> find_same(const ReadLine& before, const ReadLine& now) {
    std::unordered_set<Oid> left;
    for (const NamedCommit& each : now.commits) {
      if (!taken_.contains(each.oid)) left.insert(each.oid);
    }
    for (const NamedCommit& each : before.commits) {
      if (left.erase(each.oid) == 0) continue;
      same_.emplace(each.oid, each.oid);
      taken_.insert(each.oid);
    }
    for (const Key key : kKeys) {
      std::unordered_map<std::string, std::vector<Oid>> there;  // Newest first.
      for (auto each = now.commits.rbegin(); each != now.commits.rend(); ++each) {
        if (!left.contains(each->oid)) continue;
        const std::string name = TRY(key(new_, *each->commit));
        if (!name.empty()) there[name].push_back(each->oid);
      }
      for (const NamedCommit& each : before.commits) {
        if (same_.contains(each.oid)) continue;
        const auto found = there.find(TRY(key(old_, *each.commit)));
        if (found == there.end() || found->second.empty()) continue;
        same_.emplace(each.oid, found->second.back());
        taken_.insert(found->second.back());
        left.erase(found->second.back());
        found->second.pop_back();
      }
    }
    return find_again(before, now);
  }

  // A record may have been read several times while it was incomplete: all of these commits map to
  // its current one.
  Result<void> find_again(const ReadLine& before, const ReadLine& now) {
    for (const Key key : {kKeys[1], kKeys[2]}) {
      std::unordered_map<std::string, Oid> there;
      for (const NamedCommit& each : now.commits) {
        if (each.commit->time) there.emplace(TRY(key(new_, *each.commit)), each.oid);
      }
      for (const NamedCommit& each : before.commits) {
        if (!each.commit->time || same_.contains(each.oid)) continue;
        const std::string name = TRY(key(old_, *each.commit));
        const auto found = name.empty() ? there.end() : there.find(name);
        if (found != there.end()) same_.emplace(each.oid, found->second);
      }
    }
    return {};
  }

  // Finds the new parent of commits that followed an old commit: the end of the new history read up
  // to that commit. Commits at the end of a line follow the end of the new line.
  Result<void> find_stand_ins(const ReadLine& before, const ReadLine& now) {
    std::unordered_set<Oid> inner;
    for (const NamedCommit& each : before.commits) {
      inner.insert(each.commit->parents.begin(), each.commit->parents.end());
    }
    for (const NamedCommit& each : before.commits) {
      std::optional<Oid> at;
      for (const Oid& parent : each.commit->parents) {
        if (!at && stand_in_.contains(parent)) at = stand_in_.at(parent);
      }
      if (const auto found = same_.find(each.oid); found != same_.end()) {
        if (!at || !TRY(store::is_ancestor(new_.reader(), found->second, *at))) at = found->second;
      }
      if (!at) continue;
      if (!inner.contains(each.oid)) {
        for (const Ref& branch : now.branches) {
          if (!TRY(store::is_ancestor(new_.reader(), *at, branch.target))) continue;
          at = branch.target;
          break;
        }
      }
      stand_in_.emplace(each.oid, *at);
    }
    return {};
  }

  // --- Writing ----------------------------------------------------------------

  // Erased content stays erased.
  Result<void> copy_objects() {
    std::vector<store::NewObject> batch;
    std::size_t bytes = 0;
    std::optional<Error> failure;
    const auto put = [&]() -> Result<void> {
      bytes = 0;
      return old_.store().put(std::exchange(batch, {}));
    };
    const auto take = [&](const store::StoredObject& stored) -> Result<void> {
      if (TRY(old_.reader().erased().reason_of(stored.oid))) return {};
      bytes += stored.object.body.size();
      batch.push_back(store::new_object(stored.object.kind, stored.object.body));
      return bytes < kCopiedBytes ? Result<void>() : put();
    };
    TRY(new_.store().scan([&](const store::StoredObject& stored) {
      const auto taken = take(stored);
      if (!taken) failure = taken.error();
      return !failure;
    }));
    if (failure) return *failure;
    return put();
  }

  Result<void> write(graph::Draft& draft) {
    done_.branches.clear();
    done_.lines = marked_.size();
    graph::Replaced replaced{same_, stand_in_};
    const std::vector<Ref> heads = TRY(old_.store().refs(kBranches));
    std::vector<Oid> tips;
    tips.reserve(heads.size());
    for (const Ref& ref : heads) tips.push_back(ref.target);
    const graph::Carried carried = TRY(graph::carry(draft, old_.reader(), tips, replaced));
    done_.dropped = carried.dropped;
    done_.carried = carried.copies.size() - carried.dropped.size();
    done_.replaced = 0;
    for (const auto& [original, now] : same_) {
      if (original == now) continue;
      draft.maps(original, now);
      ++done_.replaced;
    }

    std::map<std::string, Oid> held;
    std::set<std::string> own;  // Branches with commits of the user.
    for (const Ref& ref : heads) {
      Oid to = ref.target;
      if (const auto copy = carried.copies.find(to); copy != carried.copies.end()) {
        to = copy->second;
        own.insert(ref.name);
      } else if (const auto other = stand_in_.find(to); other != stand_in_.end()) {
        to = other->second;
      }
      held.emplace(ref.name, to);
    }
    for (const std::string& name : TRY(needless(held, own))) held.erase(name);
    for (const Ref& ref : heads) {
      const auto to = held.find(ref.name);
      TRY(move(draft, ref.name, ref.target,
               to == held.end() ? std::nullopt : std::optional<Oid>(to->second)));
    }
    for (const Ref& ref : wanted_) TRY(place(draft, ref, held));
    for (const Ref& ref : TRY(new_.store().refs("refs/sources/"))) {
      TRY(draft.move(ref.name, ref.target));
    }
    for (const std::string& line : marked_) TRY(mark_rules(draft, line));
    return carry_notes(draft, carried);
  }

  // Returns the further branches to remove: another branch of the line contains their commits.
  Result<std::set<std::string>> needless(const std::map<std::string, Oid>& held,
                                         const std::set<std::string>& own) const {
    std::set<std::string> names;
    for (const auto& [name, tip] : held) {
      const std::string line =
          line_of_branch(name, [&](const std::string& each) { return held.contains(each); });
      const bool is_marked = std::find(marked_.begin(), marked_.end(), line) != marked_.end();
      if (!is_marked || line == name || name == kept_ || own.contains(name)) continue;
      for (const auto& [other, other_tip] : held) {
        const bool is_of_line = other == line || other.starts_with(line + "-");
        if (other == name || !is_of_line || names.contains(other)) continue;
        if (!TRY(store::is_ancestor(old_.reader(), tip, other_tip))) continue;
        names.insert(name);
        break;
      }
    }
    return names;
  }

  Result<void> move(graph::Draft& draft, const std::string& name, std::optional<Oid> before,
                    std::optional<Oid> to) {
    if (before == to) return {};
    TRY(draft.move(name, to));
    done_.branches.push_back({name, before, to});
    return {};
  }

  // Adds a line that no branch contains yet.
  Result<void> place(graph::Draft& draft, const Ref& ref, std::map<std::string, Oid>& held) {
    for (const auto& [name, tip] : held) {
      if (importer_of(name) != importer_of(ref.name)) continue;
      if (TRY(store::is_ancestor(old_.reader(), ref.target, tip))) return {};
    }
    std::string name = ref.name;
    for (int number = 2; held.contains(name); ++number) {
      name = fmt::format("{}-{}", ref.name, number);
    }
    held.emplace(name, ref.target);
    return move(draft, name, std::nullopt, ref.target);
  }

  // Notes never change: a note about a replaced commit is written again, about the new commit.
  Result<void> carry_notes(graph::Draft& draft, const graph::Carried& carried) {
    for (const Ref& ref : TRY(old_.store().refs("refs/notes/"))) {
      std::vector<NamedCommit> chain;
      TRY(old_.reader().run(ref.target, std::numeric_limits<std::size_t>::max(),
                            [&](const NamedCommit& each) {
                              chain.push_back(each);
                              return true;
                            }));
      std::reverse(chain.begin(), chain.end());
      Oid tip = ref.target;
      for (const NamedCommit& note : chain) {
        store::Commit commit = *note.commit;
        for (Oid& about : commit.about) {
          const auto copy = carried.copies.find(about);
          const auto same = same_.find(about);
          if (copy != carried.copies.end())
            about = copy->second;
          else if (same != same_.end())
            about = same->second;
        }
        if (commit.about == note.commit->about) continue;
        tip = TRY(draft.copy(note.oid, std::move(commit), {tip}, {}));
        ++done_.carried;
      }
      if (tip != ref.target) TRY(draft.move(ref.name, tip));
    }
    return {};
  }

  Repository& old_;
  const Repository& new_;
  const std::string kept_;           // A branch that is never removed.
  std::vector<std::string> marked_;  // The lines being brought up to date.
  std::vector<Ref> wanted_;          // Their branches in the new reading.
  std::unordered_map<Oid, Oid> same_;
  std::unordered_set<Oid> taken_;  // Values of same_: lines may share commits.
  std::unordered_map<Oid, Oid> stand_in_;
  Updated done_;
};

}  // namespace

Result<Updated> import_again(Repository& repository,
                             const std::function<Result<void>(Repository& fresh)>& read,
                             const std::string& kept) {
  TRY(repository.check_writable());
  const auto fresh = repository.empty_sibling();
  TRY(read(*fresh));
  return Reimport(repository, *fresh, kept).run();
}

}  // namespace spoor::import
