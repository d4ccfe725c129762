#include "compile/fold.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "compile/apply.h"
#include "store/ancestry.h"

namespace spoor::compile {
namespace {

using store::NamedCommit;

// The number of commits in memory while a long history is folded, and the number of fields read
// with one call.
constexpr std::size_t kStride = 16'384;
constexpr std::size_t kBatch = 256;

// A shorter history is folded whole: that takes a few milliseconds.
constexpr std::uint64_t kShortest = 512;

// The limit of memory reserved in advance, in entries; a commit may contain any depth.
constexpr std::uint64_t kMostReserved = 1U << 20U;

// The number of cached states: the branches in use and a few revisions.
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

}  // namespace

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
      auto calls = TRY(fields_of(reader, commit)).tool_calls;
      // An edit's fields replace all calls. If the fields were erased, the previous calls are not
      // restored.
      if (commit.fields && !calls) calls.emplace();
      return state.edit(commit.target[0], named.oid, content, calls);
    }
    case store::Op::annotate:
      return state.annotate(TRY(targets_of(reader, commit)), named.oid, *commit.priority);
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
  throw std::logic_error("unknown op in the fold");
}

// Fields are read in batches, because the reader caches them until they are needed.
Result<void> apply_all(const store::Reader& reader, const std::vector<NamedCommit>& newest_first,
                       State& state, std::optional<Oid>& reached) {
  for (std::size_t left = newest_first.size(); left > 0;) {
    const std::size_t batch = std::min(left, kBatch);
    std::vector<Oid> fields;
    for (std::size_t i = left; i > left - batch; --i) {
      if (const auto& oid = newest_first[i - 1].commit->fields) fields.push_back(*oid);
    }
    TRY(reader.contents(fields));
    for (std::size_t i = left; i > left - batch; --i) {
      TRY(apply(reader, newest_first[i - 1], nullptr, state));
      reached = newest_first[i - 1].oid;
    }
    left -= batch;
  }
  return {};
}

Result<std::vector<Oid>> targets_of(const store::Reader& reader, const Commit& commit) {
  if (!commit.targets) return commit.target;
  const auto list = TRY(reader.content(*commit.targets));
  if (list->empty() || list->size() % 32 != 0) {
    return corrupt(fmt::format("target list {} is not a list of names", commit.targets->hex(12)),
                   "run 'spoor store fsck'");
  }
  std::vector<Oid> all;
  for (std::size_t at = 0; at < list->size(); at += 32) {
    all.push_back(*Oid::from_bytes(std::string_view(*list).substr(at, 32)));
  }
  return all;
}

class Folder::FlightGuard {
 public:
  FlightGuard(const Folder& folder, std::shared_ptr<Flight> flight)
      : folder_(folder), flight_(std::move(flight)) {}
  ~FlightGuard() {
    const std::lock_guard lock(folder_.mutex_);
    flight_->is_done = true;
    std::erase(folder_.flights_, flight_);
    folder_.landed_.notify_all();
  }
  FlightGuard(const FlightGuard&) = delete;
  FlightGuard& operator=(const FlightGuard&) = delete;

  void bring(std::shared_ptr<const State> state) {
    const std::lock_guard lock(folder_.mutex_);
    flight_->state = std::move(state);
  }

 private:
  const Folder& folder_;
  std::shared_ptr<Flight> flight_;
};

std::shared_ptr<Folder::Flight> Folder::flight_of(const Oid& commit) const {
  const auto found = std::find_if(flights_.begin(), flights_.end(),
                                  [&](const auto& flight) { return flight->commit == commit; });
  return found == flights_.end() ? nullptr : *found;
}

// Returns a state that may be changed; null if it is no longer available. Returns the cached one
// itself if `may_take` and it has no other user, so that adding a commit takes time proportional to
// that commit only; else a copy. Waits for a fold of it in progress.
std::shared_ptr<State> Folder::borrow(const Oid& commit, bool may_take) const {
  std::shared_ptr<const State> shared;
  {
    std::unique_lock lock(mutex_);
    if (const auto flight = flight_of(commit)) {
      landed_.wait(lock, [&] { return flight->is_done; });
      shared = flight->state;
    }
    const auto found = std::find_if(cached_.begin(), cached_.end(),
                                    [&](const CachedState& kept) { return kept.commit == commit; });
    if (found != cached_.end()) {
      shared.reset();
      if (may_take && found->state.use_count() == 1) {
        { const auto after_the_last_reader = found->state; }  // Orders us after its release.
        auto state = std::move(found->state);
        cached_.erase(found);
        return state;
      }
      shared = found->state;
    }
  }
  return shared ? std::make_shared<State>(*shared) : nullptr;
}

void Folder::keep(const Oid& commit, std::shared_ptr<State> state) const {
  const std::lock_guard lock(mutex_);
  std::erase_if(cached_, [&](const CachedState& kept) { return kept.commit == commit; });
  cached_.push_back({commit, std::move(state)});
  if (cached_.size() > kKeptStates) cached_.erase(cached_.begin());
}

// Returns the commits of cached states, and of folds in progress except that of `but`.
std::vector<Oid> Folder::known_commits(const Oid& but) const {
  const std::lock_guard lock(mutex_);
  std::vector<Oid> commits;
  for (const CachedState& kept : cached_) commits.push_back(kept.commit);
  for (const auto& flight : flights_) {
    if (flight->commit != but) commits.push_back(flight->commit);
  }
  return commits;
}

void Folder::drop() const {
  const std::lock_guard lock(mutex_);
  cached_.clear();
}

Result<std::shared_ptr<const State>> Folder::at(const Oid& commit, std::size_t contents) const {
  // A state may outlive a draft whose commit was never stored.
  const auto known = known_commits({});
  if (std::find(known.begin(), known.end(), commit) != known.end()) TRY(reader_.commit(commit));
  const auto own = std::make_shared<Flight>(Flight{commit, false, nullptr});
  {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto found = std::find_if(cached_.begin(), cached_.end(), [&](const CachedState& kept) {
        return kept.commit == commit;
      });
      if (found != cached_.end()) {
        std::rotate(found, found + 1, cached_.end());
        return std::shared_ptr<const State>(cached_.back().state);
      }
      const auto flight = flight_of(commit);
      if (!flight) break;
      landed_.wait(lock, [&] { return flight->is_done; });
      if (flight->state) return flight->state;
      // It failed; each caller finds the reason itself.
    }
    flights_.push_back(own);
  }
  FlightGuard guard(*this, own);
  auto state = TRY(fold(commit, contents));
  guard.bring(state);
  return state;
}

Result<std::shared_ptr<const State>> Folder::part_at(const Oid& commit,
                                                     const PartOptions& options) const {
  const auto tip = TRY(reader_.commit(commit));
  const auto known = known_commits({});
  const bool is_known = std::find(known.begin(), known.end(), commit) != known.end();
  if (is_known || !has_index(*tip)) return at(commit);
  auto part = TRY(fold_part(reader_, *index_, commit, options));
  if (!part) return at(commit);
  return std::make_shared<const State>(std::move(*part));
}

Result<void> Folder::prepare(const Oid& commit) const {
  if (has_index(*TRY(reader_.commit(commit)))) TRY(index_->needed(commit));
  return {};
}

bool Folder::has_index(const store::Commit& tip) const {
  return tip.depth >= kShortest && index_ != nullptr && index_->is_usable();
}

// Returns the deepest known commit on the line to `tip`; nullopt if there is none. Unreadable
// commits are skipped: the fold itself reports the error.
std::optional<NamedCommit> Folder::base_of(const NamedCommit& tip) const {
  std::optional<NamedCommit> base;
  for (const Oid& known : known_commits(tip.oid)) {
    const auto read = reader_.commit(known);
    if (!read || (*read)->depth > tip.commit->depth) continue;
    if (base && (*read)->depth <= base->commit->depth) continue;
    const auto there = store::ancestor_at(reader_, tip.oid, (*read)->depth);
    if (there && *there == known) base = NamedCommit{known, *read};
  }
  return base;
}

Result<std::shared_ptr<const State>> Folder::fold(const Oid& commit, std::size_t contents) const {
  // Usually a nearby state is known.
  const std::vector<Oid> known = known_commits(commit);
  std::vector<NamedCommit> pending;  // Newest first.
  std::optional<Oid> base;
  bool has_merge = false;
  const auto add = [&](const NamedCommit& named) {
    if (std::find(known.begin(), known.end(), named.oid) != known.end()) base = named.oid;
    has_merge = !base && named.commit->op == store::Op::merge;
    if (!base && !has_merge) pending.push_back(named);
    return !base && !has_merge;
  };
  TRY(reader_.run(commit, kStride, add, store::Reader::Keep::newest, known.empty() ? contents : 0));
  if (has_merge) return fold_graph(commit);

  const bool is_whole = base || pending.back().commit->parents.empty();
  if (!is_whole) return fold_long(commit);
  auto state = base ? borrow(*base, true) : std::make_shared<State>();
  if (!state) return fold(commit, contents);  // Another thread took it, or failed to reach it.
  std::optional<Oid> reached = base;
  const auto folded = apply_all(reader_, pending, *state, reached);
  if (reached) keep(*reached, state);  // After an error, keep the commits before it.
  if (!folded) return folded.error();
  return std::shared_ptr<const State>(std::move(state));
}

// Folds forward in strides, so that only one stride of a long history is in memory. Skip pointers
// find the end of each stride, so each commit is read once.
Result<std::shared_ptr<const State>> Folder::fold_long(const Oid& commit) const {
  const auto tip = TRY(reader_.commit(commit));
  std::shared_ptr<State> state;
  std::optional<Oid> reached;  // The commit of `state`; nullopt before the root.
  std::uint64_t next_depth = 0;
  while (const auto base = base_of({commit, tip})) {
    state = borrow(base->oid, true);
    if (!state) continue;  // Another thread took it, or failed to reach it.
    reached = base->oid;
    next_depth = base->commit->depth + 1;
    break;
  }
  if (!state) state = std::make_shared<State>();
  state->reserve(static_cast<std::size_t>(std::min(tip->depth + 1, kMostReserved)));

  const auto keeps = store::Reader::keep_for(tip->depth + 1 - next_depth);
  bool has_merge = false;
  const auto fold_stride = [&]() -> Result<void> {
    const std::uint64_t last = std::min(next_depth + kStride - 1, tip->depth);
    std::vector<NamedCommit> pending;  // Newest first.
    const auto from = TRY(store::ancestor_at(reader_, commit, last));
    TRY(reader_.run(
        from, static_cast<std::size_t>(last - next_depth + 1),
        [&](const NamedCommit& named) {
          has_merge = has_merge || named.commit->op == store::Op::merge;
          pending.push_back(named);
          return true;
        },
        keeps));
    const auto& parents = pending.back().commit->parents;
    const std::optional<Oid> below = parents.empty() ? std::nullopt : std::optional(parents[0]);
    if (below != reached) {
      return corrupt(fmt::format("{} names ancestors that are not its own", commit.hex(12)),
                     "run 'spoor store fsck'");
    }
    if (!has_merge) TRY(apply_all(reader_, pending, *state, reached));
    next_depth = last + 1;
    return {};
  };
  Result<void> folded;
  while (folded && !has_merge && next_depth <= tip->depth) folded = fold_stride();
  if (reached) keep(*reached, state);  // After an error, keep the commits before it.
  if (!folded) return folded.error();
  if (has_merge) return fold_graph(commit);
  return std::shared_ptr<const State>(std::move(state));
}

// Applies every required commit once, parents before children. A state lives until its last child,
// which takes it without a copy, so the number of states is the width of the history.
Result<std::shared_ptr<const State>> Folder::fold_graph(const Oid& commit) const {
  struct Step {
    std::uint64_t gen;
    Oid oid;
  };
  std::vector<Step> steps;
  std::unordered_map<Oid, std::size_t> uses = {{commit, 1}};
  std::unordered_map<Oid, std::shared_ptr<State>> live;
  const std::vector<Oid> known = known_commits(commit);
  for (std::vector<Oid> open = {commit}; !open.empty();) {
    const Oid next = open.back();
    open.pop_back();
    if (std::find(known.begin(), known.end(), next) != known.end()) {
      if (auto state = borrow(next, false)) {
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
    return corrupt(fmt::format("{} is not newer than its parents", oid.hex(12)),
                   "run 'spoor store fsck'");
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
