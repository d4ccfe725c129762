#include "compile/fold.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "store/ancestry.h"

namespace spoor::compile {
namespace {

using store::NamedCommit;

// How many commits are held at once while a long history is folded, and how
// many fields are read with one call.
constexpr std::size_t kStride = 8192;
constexpr std::size_t kBatch = 256;

// How many states a process keeps: the branches one works on, and a few revisions.
constexpr std::size_t kKeptStates = 8;

template <class T>
std::shared_ptr<const std::vector<T>> alias(const std::shared_ptr<const Commit>& commit,
                                            const std::vector<T>& member) {
  if (member.empty()) return nullptr;
  return {commit, &member};
}

Result<Entry> make_entry(const store::Reader& reader, const NamedCommit& named, Type type) {
  const Commit& commit = *named.commit;
  Entry entry;
  entry.commit = named.oid;
  entry.type = type;
  entry.priority = default_priority(type);
  entry.content = commit.content->oid;
  if (commit.fields) {
    entry.fields = std::make_shared<const Fields>(TRY(fields_of(reader, commit)));
  }
  entry.raw = alias(named.commit, commit.raw);
  entry.attach = alias(named.commit, commit.attach);
  entry.message_id = message_id_of(commit);
  seal(entry, commit.fields);
  return entry;
}

// `theirs` is the state of a merge's second parent, null elsewhere.
Result<void> apply(const store::Reader& reader, const NamedCommit& named, const State* theirs,
                   State& state) {
  const Commit& commit = *named.commit;
  switch (commit.op) {
    case store::Op::append: {
      if (commit.type == Type::config)
        return state.set(named.oid, TRY(fields_of(reader, commit)).set);
      if (is_prompt_type(*commit.type)) state.append(TRY(make_entry(reader, named, *commit.type)));
      return {};
    }
    case store::Op::edit: {
      std::optional<Oid> content;
      if (commit.content) content = commit.content->oid;
      const Fields fields = TRY(fields_of(reader, commit));
      return state.edit(commit.target[0], named.oid, content, fields.tool_calls);
    }
    case store::Op::annotate: {
      for (const Oid& target : TRY(targets_of(reader, commit))) {
        TRY(state.annotate(target, named.oid, *commit.priority));
      }
      return {};
    }
    case store::Op::compress: {
      Entry summary = TRY(make_entry(reader, named, Type::summary));
      return state.compress(TRY(targets_of(reader, commit)), std::move(summary));
    }
    case store::Op::merge: {
      std::optional<Entry> digest;
      if (commit.content) digest = TRY(make_entry(reader, named, Type::summary));
      const auto picked = TRY(targets_of(reader, commit));
      return state.merge(*theirs, named.oid, *commit.mode, picked, std::move(digest));
    }
  }
  throw std::logic_error("an op that the fold does not know");
}

// Applies commits that stand newest first, oldest first. Fields are read many at
// a time: the reader keeps them for the moment they are asked for.
Result<void> apply_all(const store::Reader& reader, const std::vector<NamedCommit>& newest_first,
                       State& state) {
  for (std::size_t left = newest_first.size(); left > 0;) {
    const std::size_t batch = std::min(left, kBatch);
    std::vector<Oid> fields;
    for (std::size_t i = left; i > left - batch; --i) {
      if (const auto& oid = newest_first[i - 1].commit->fields) fields.push_back(*oid);
    }
    TRY(reader.contents(fields));
    for (std::size_t i = left; i > left - batch; --i) {
      TRY(apply(reader, newest_first[i - 1], nullptr, state));
    }
    left -= batch;
  }
  return {};
}

}  // namespace

Result<std::vector<Oid>> targets_of(const store::Reader& reader, const Commit& commit) {
  if (!commit.targets) return commit.target;
  const auto list = TRY(reader.content(*commit.targets));
  if (list->empty() || list->size() % 32 != 0) {
    return store::corrupt(
        fmt::format("target list {} is no list of names", commit.targets->hex(12)));
  }
  std::vector<Oid> all;
  for (std::size_t at = 0; at < list->size(); at += 32) {
    all.push_back(*Oid::from_bytes(std::string_view(*list).substr(at, 32)));
  }
  return all;
}

std::shared_ptr<State> Folder::take(const Oid& commit) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Kept& kept) { return kept.commit == commit; });
  if (found == kept_.end()) return nullptr;
  // Nobody else holds it: it can be brought forward in place, which is what makes
  // one more commit cost that commit. Someone does: they keep theirs.
  if (found->state.use_count() > 1) return std::make_shared<State>(*found->state);
  { const auto after_the_last_reader = found->state; }  // Orders us behind its release.
  auto state = std::move(found->state);
  kept_.erase(found);
  return state;
}

void Folder::keep(const Oid& commit, std::shared_ptr<State> state) const {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const Kept& kept) { return kept.commit == commit; });
  kept_.push_back({commit, std::move(state)});
  if (kept_.size() > kKeptStates) kept_.erase(kept_.begin());
}

std::shared_ptr<State> Folder::copy_of(const Oid& commit) const {
  const std::lock_guard lock(mutex_);
  for (const Kept& kept : kept_) {
    if (kept.commit == commit) return std::make_shared<State>(*kept.state);
  }
  return nullptr;
}

std::vector<Oid> Folder::kept_commits() const {
  const std::lock_guard lock(mutex_);
  std::vector<Oid> commits;
  for (const Kept& kept : kept_) commits.push_back(kept.commit);
  return commits;
}

void Folder::drop() const {
  const std::lock_guard lock(mutex_);
  kept_.clear();
}

Result<std::shared_ptr<const State>> Folder::at(const Oid& commit) const {
  TRY(reader_.commit(commit));  // A state may outlive a draft whose commit was never stored.
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& kept) { return kept.commit == commit; });
    if (found != kept_.end()) {
      std::rotate(found, found + 1, kept_.end());
      return std::shared_ptr<const State>(kept_.back().state);
    }
  }

  // Walk back to the nearest kept state (or the root), in strides, so that a
  // history of any length is held only a stride at a time; then fold forward.
  const std::vector<Oid> known = kept_commits();
  std::vector<Oid> waypoints = {commit};
  std::vector<NamedCommit> pending;  // Newest first: from waypoints.back() down.
  std::shared_ptr<State> state;
  bool has_merge = false;
  while (!state) {
    pending.clear();
    std::optional<Oid> below = waypoints.back();
    std::optional<Oid> base;
    TRY(reader_.run(*below, kStride, [&](const NamedCommit& named) {
      if (std::find(known.begin(), known.end(), named.oid) != known.end()) {
        base = named.oid;
        return false;
      }
      has_merge = named.commit->op == store::Op::merge;
      if (has_merge) return false;
      pending.push_back(named);
      below.reset();
      if (!named.commit->parents.empty()) below = named.commit->parents[0];
      return true;
    }));
    if (has_merge) return fold_graph(commit);
    if (base) {
      state = take(*base);
      if (!state) return at(commit);  // Another thread took it: begin again.
    } else if (!below) {
      state = std::make_shared<State>();
    } else {
      waypoints.push_back(*below);
    }
  }

  TRY(apply_all(reader_, pending, *state));
  while (waypoints.size() > 1) {
    const Oid done = waypoints.back();
    waypoints.pop_back();
    pending.clear();
    TRY(reader_.run(waypoints.back(), kStride, [&](const NamedCommit& named) {
      if (named.oid == done) return false;
      pending.push_back(named);
      return true;
    }));
    TRY(apply_all(reader_, pending, *state));
  }
  keep(commit, state);
  return std::shared_ptr<const State>(std::move(state));
}

// Every commit that is needed, once, parents before children. A state lives until
// its last child has used it and is handed on without a copy to the last one, so
// there are as many at a time as the history is wide.
Result<std::shared_ptr<const State>> Folder::fold_graph(const Oid& commit) const {
  struct Step {
    std::uint64_t gen;
    Oid oid;
  };
  std::vector<Step> steps;
  std::unordered_map<Oid, std::size_t> uses = {{commit, 1}};
  std::unordered_map<Oid, std::shared_ptr<State>> live;
  const std::vector<Oid> known = kept_commits();
  for (std::vector<Oid> open = {commit}; !open.empty();) {
    const Oid next = open.back();
    open.pop_back();
    if (std::find(known.begin(), known.end(), next) != known.end()) {
      if (auto state = copy_of(next)) {
        live.emplace(next, std::move(state));
        continue;
      }
    }
    const auto read = TRY(reader_.commit(next));
    steps.push_back({read->gen, next});
    for (const Oid& parent : read->parents) {
      if (++uses[parent] == 1) open.push_back(parent);
    }
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.gen < b.gen; });

  const auto unordered = [](const Oid& oid) {
    return store::corrupt(fmt::format("the parents of {} are no older than itself", oid.hex(12)),
                          "see 'spoor fsck'");
  };
  const auto use = [&](const Oid& oid) -> std::shared_ptr<State> {
    const auto found = live.find(oid);
    if (found == live.end()) return nullptr;
    if (--uses.at(oid) > 0) return std::make_shared<State>(*found->second);
    auto state = std::move(found->second);
    live.erase(found);
    return state;
  };
  for (const Step& step : steps) {
    const NamedCommit named{step.oid, TRY(reader_.commit(step.oid))};
    const auto& parents = named.commit->parents;
    auto state = parents.empty() ? std::make_shared<State>() : use(parents[0]);
    const auto theirs = parents.size() > 1 ? use(parents[1]) : nullptr;
    if (!state || (parents.size() > 1 && !theirs)) return unordered(step.oid);
    TRY(apply(reader_, named, theirs.get(), *state));
    live.emplace(step.oid, std::move(state));
  }
  auto state = std::move(live.at(commit));
  keep(commit, state);
  return std::shared_ptr<const State>(std::move(state));
}

}  // namespace spoor::compile
