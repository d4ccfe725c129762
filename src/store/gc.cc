#include "store/gc.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "store/attest.h"
#include "store/fsck.h"
#include "store/log_fold.h"
#include "store/oid_table.h"
#include "store/operation_walk.h"
#include "store/reader.h"
#include "store/references.h"
#include "store/signature.h"

namespace spoor::store {
namespace {

constexpr std::uint64_t kObjectsPerReport = 1'024;
constexpr int kAttempts = 10;

Error unsound(std::string message) {
  return corrupt(std::move(message) + ", so gc cannot find what it needs",
                 "run 'spoor store fsck'");
}

// The stored objects and the objects that each names, without any bytes.
class Heap {
 public:
  using Id = OidTable::Id;

  Result<void> take(const StoredObject& stored) {
    const auto& [oid, object] = stored;
    const Id id = id_of(oid);
    nodes_[id].is_stored = true;
    nodes_[id].kind = object.kind;
    nodes_[id].size = object.body.size();
    if (object.kind == Kind::blob) return {};
    if (!verify(oid, object)) return unsound(fmt::format("object '{}' is damaged", oid.hex()));
    const auto references = references_of(object);
    nodes_[id].is_malformed = !references;  // The name matches: malformed from the start.
    if (!references) return {};
    if (object.kind == Kind::tombstone) roots_.push_back(id);
    if (object.kind == Kind::attest) {
      const Attest attest = TRY(parse_attest(object.body));
      if (is_genuine(attest)) attests_.emplace_back(id, id_of(attest.target));
    }
    if (object.kind == Kind::commit) nodes_[id].gen = TRY(parse_commit(object.body)).gen;
    const std::uint64_t first = edges_.size();
    for (const Reference& each : *references) edges_.push_back({id_of(each.oid), each.role});
    nodes_[id].first_edge = first;
    nodes_[id].edge_count = static_cast<std::uint32_t>(references->size());
    return {};
  }

  bool is_needed(const Oid& oid) const {
    const auto id = names_.find(oid);
    return id && nodes_[*id].is_needed;
  }

  // Returns those of `oids` that do not reach any object in `broken`.
  std::vector<Oid> without(const std::vector<Oid>& oids, const std::vector<Oid>& broken) {
    std::vector<std::vector<Id>> named_by(nodes_.size());
    for (Id id = 0; id < nodes_.size(); ++id) {
      const Node& node = nodes_[id];
      for (std::uint64_t i = 0; i < node.edge_count; ++i) {
        named_by[edges_[node.first_edge + i].to].push_back(id);
      }
    }
    std::vector<bool> leads_there(nodes_.size());
    std::vector<Id> open;
    for (const Oid& oid : broken) {
      if (const auto id = names_.find(oid)) open.push_back(*id);
    }
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (leads_there[id]) continue;
      leads_there[id] = true;
      open.insert(open.end(), named_by[id].begin(), named_by[id].end());
    }
    std::vector<Oid> sound;
    for (const Oid& oid : oids) {
      const auto id = names_.find(oid);
      if (!id || !leads_there[*id]) sound.push_back(oid);
    }
    return sound;
  }

  // From now on, objects that were not scanned are read when they are reached.
  void read_from(const Store& store) { later_ = &store; }

  // Looks again for needed objects that were not stored: others may have put them meanwhile.
  void look_again() { roots_.insert(roots_.end(), absent_.begin(), absent_.end()); }

  void keep(const Oid& oid) { roots_.push_back(id_of(oid)); }

  // The same for an object that a ref or an operation names and that must be stored.
  Result<void> keep_known(const Oid& oid) {
    keep(oid);
    return check_stored(roots_.back());
  }

  // The target of an attest may also be an operation.
  void keep_attests_of(const Oid& operation) { nodes_[id_of(operation)].is_operation = true; }

  Result<void> mark() {
    while (!roots_.empty()) {
      TRY(mark_from(std::exchange(roots_, {})));
      for (const auto& [attest, target] : attests_) {
        const bool is_wanted = nodes_[target].is_needed || nodes_[target].is_operation;
        if (is_wanted && !nodes_[attest].is_needed) roots_.push_back(attest);
      }
    }
    return {};
  }

  void sweep(Garbage& garbage) const {
    std::vector<Id> commits;
    for (Id id = 0; id < nodes_.size(); ++id) {
      const Node& node = nodes_[id];
      if (!node.is_stored) continue;
      if (node.is_needed) {
        ++garbage.kept;
        continue;
      }
      ++garbage.objects.at(static_cast<std::size_t>(node.kind));
      garbage.bytes += node.size;
      garbage.sweep.objects.push_back(names_.name(id));
      if (node.kind == Kind::commit) commits.push_back(id);
    }
    std::sort(commits.begin(), commits.end(), [this](Id a, Id b) {
      return std::pair(nodes_[b].gen, names_.name(a)) < std::pair(nodes_[a].gen, names_.name(b));
    });
    for (const Id id : commits) garbage.commits.push_back(names_.name(id));
  }

 private:
  struct Node {
    Kind kind = Kind::blob;
    bool is_stored = false;
    bool is_needed = false;
    bool is_followed = false;  // Its targets are needed, too.
    bool is_operation = false;
    bool is_malformed = false;
    std::uint32_t edge_count = 0;
    std::uint64_t first_edge = 0;
    std::uint64_t size = 0;
    std::uint64_t gen = 0;
  };
  struct Edge {
    Id to;
    Role role;
  };

  Id id_of(const Oid& oid) {
    const Id id = names_.intern(oid);
    if (id == nodes_.size()) nodes_.emplace_back();
    return id;
  }

  // Fails if a needed commit is missing: it may be recovered, so gc must not remove objects that
  // only it reaches.
  Result<void> check_stored(Id id) {
    TRY(read_later(id));
    if (nodes_[id].is_stored) return {};
    return unsound(fmt::format("commit '{}' is missing", names_.name(id).hex()));
  }

  Result<void> read_later(Id id) {
    if (nodes_[id].is_stored || later_ == nullptr) return {};
    const Oid oid = names_.name(id);
    // get() of an object that is not there may search all rows for damaged names.
    if (!TRY(later_->has({&oid, 1})).front()) return {};
    const auto found = TRY(later_->get({&oid, 1}));
    return found.front() ? take({oid, *found.front()}) : Result<void>();
  }

  Result<void> mark_from(std::vector<Id> open) {
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      const bool was_needed = std::exchange(nodes_[id].is_needed, true);
      TRY(read_later(id));
      if (!nodes_[id].is_stored) {
        if (!was_needed) absent_.push_back(id);
        continue;
      }
      if (std::exchange(nodes_[id].is_followed, true)) continue;
      const Node node = nodes_[id];
      if (node.is_malformed) {
        return unsound(fmt::format("object '{}' is malformed", names_.name(id).hex()));
      }
      for (std::uint64_t i = node.first_edge; i < node.first_edge + node.edge_count; ++i) {
        const Edge edge = edges_[i];
        if (accepts(edge.role, Kind::commit)) TRY(check_stored(edge.to));
        open.push_back(edge.to);
      }
    }
    return {};
  }

  OidTable names_;
  std::vector<Node> nodes_;  // Indexed by the name's number.
  std::vector<Edge> edges_;
  std::vector<Id> roots_;
  std::vector<Id> absent_;                  // Needed, and not stored when they were reached.
  std::vector<std::pair<Id, Id>> attests_;  // Each attest with its target.
  const Store* later_ = nullptr;
};

Result<void> scan_into(Heap& heap, const Store& store, const GcOptions& options) {
  std::uint64_t count = 0;
  Result<void> problem;
  TRY(store.scan([&](const StoredObject& stored) {
    problem = heap.take(stored);
    if (problem && ++count % kObjectsPerReport == 0) {
      if (options.progress) options.progress(count);
      if (options.is_cancelled && options.is_cancelled()) {
        problem = interrupted("gc was stopped", "nothing has changed");
      }
    }
    return static_cast<bool>(problem);
  }));
  return problem;
}

// Returns whether objects that break this rule were made so, rather than damaged: damage may be
// repaired.
bool is_of_forgery(Rule rule) {
  constexpr std::array kRules = {Rule::shape,  Rule::missing, Rule::kind,
                                 Rule::chunks, Rule::depth,   Rule::gen,
                                 Rule::skip,   Rule::targets, Rule::ancestor};
  return std::find(kRules.begin(), kRules.end(), rule) != kRules.end();
}

// Returns those of `loose`, recently put objects that nothing else keeps, except those that break a
// rule or depend on one that does: they are unusable, and fsck would report them until they are
// removed.
Result<std::vector<Oid>> sound_loose(const Store& store, std::vector<Oid> loose, Heap& heap,
                                     const GcOptions& options) {
  if (loose.empty()) return loose;
  const FsckReport report = TRY(fsck(store, {.is_cancelled = options.is_cancelled}));
  std::vector<Oid> broken;
  for (const FsckReport::Problem& each : report.problems) {
    const auto oid = Oid::from_hex(each.subject);
    if (oid && is_of_forgery(each.rule)) broken.push_back(*oid);
  }
  return broken.empty() ? loose : heap.without(loose, broken);
}

// Verifies the names of the objects to remove: misnamed bytes may be another object's that is
// missing.
Result<void> verify_garbage(const Store& store, std::span<const Oid> oids) {
  constexpr std::size_t kAtOnce = 64;
  for (; !oids.empty(); oids = oids.subspan(std::min(oids.size(), kAtOnce))) {
    const auto some = oids.first(std::min(oids.size(), kAtOnce));
    const auto found = TRY(store.get(some));
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (found[i] && !verify(some[i], *found[i])) {
        return unsound(fmt::format("object '{}' is damaged", some[i].hex()));
      }
    }
  }
  return {};
}

std::uint64_t number_of(const std::optional<LoggedOperation>& operation) {
  return operation ? operation->number : 0;
}

// Where the store was: objects are removed, or the log is folded, only in a later era.
struct Era {
  std::uint64_t erasures = 0;
  std::optional<Oid> first;  // The first operation of the log.

  bool operator==(const Era&) const = default;
};

Result<Era> era_of(const Store& store) {
  Era era{TRY(store.properties({})).erasures, {}};
  const auto first = TRY(store.operations(0, 1));
  if (!first.empty()) era.first = first.front().name;
  return era;
}

using Finish = std::function<Result<std::optional<Garbage>>(GarbageSearch&)>;

Result<Garbage> search_for(const Store& store, const GcOptions& options, const Finish& finish) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto search = TRY(GarbageSearch::begin(store, options));
    if (auto garbage = TRY(finish(search))) return std::move(*garbage);
  }
  return unavailable("other programs keep removing objects from the store",
                     "run gc again when they are done");
}

}  // namespace

class GarbageSearch::Impl {
 public:
  Impl(const Store& store, GcOptions options, const Era& era)
      : store_(store), options_(std::move(options)), era_(era) {}

  Result<bool> is_outdated() const { return TRY(era_of(store_)) != era_; }

  // The log and the refs come before the objects, so all that they name has been scanned.
  Result<void> begin() {
    seen_ = number_of(TRY(store_.newest_operation()));
    const auto refs = TRY(store_.refs(""));
    log_ = TRY(part_log(store_, options_.keep_since));
    loose_ = TRY(store_.loose(log_.past));
    TRY(scan_into(heap_, store_, options_));
    for (const Oid& oid : log_.needed) TRY(heap_.keep_known(oid));
    for (const Oid& name : log_.operations) heap_.keep_attests_of(name);
    for (const Ref& ref : refs) TRY(heap_.keep_known(ref.target));
    TRY(keep_roots());
    TRY(heap_.mark());
    TRY(keep_sound_loose());
    TRY(heap_.mark());
    Garbage garbage;
    heap_.sweep(garbage);
    TRY(verify_garbage(store_, garbage.sweep.objects));
    heap_.read_from(store_);
    // Fewer objects come meanwhile each time, so little is left for finish().
    constexpr int kTimes = 3;
    for (int i = 0; i < kTimes; ++i) {
      TRY(keep_operations());
      TRY(heap_.mark());
    }
    return {};
  }

  Result<Garbage> finish() {
    TRY(keep_operations());  // They name all that refs have become.
    TRY(keep_roots());
    TRY(keep_loose());
    heap_.look_again();
    TRY(heap_.mark());
    Garbage garbage;
    heap_.sweep(garbage);
    garbage.sweep.past = log_.past;
    garbage.operations = log_.folds;
    if (log_.folds > 0) garbage.sweep.checkpoint = TRY(checkpoint_of(log_, options_.actor));
    return garbage;
  }

 private:
  // Keeps what the operations since begin() name, whatever their time.
  Result<void> keep_operations() {
    constexpr std::size_t kAtOnce = 1'000;
    while (true) {
      const auto some = TRY(verified_operations(store_, seen_, kAtOnce));
      if (some.empty()) return {};
      for (const LoggedOperation& logged : some) {
        seen_ = logged.number;
        heap_.keep_attests_of(logged.name);
        for (const Oid& oid : names_in(TRY(parse_operation(logged.body)))) {
          TRY(heap_.keep_known(oid));
        }
      }
    }
  }

  Result<void> keep_roots() {
    if (!options_.roots) return {};
    for (const Oid& oid : TRY(options_.roots())) heap_.keep(oid);
    return {};
  }

  // Objects put since begin() are kept, even if they break a rule: the next gc will know.
  Result<void> keep_loose() {
    std::sort(loose_.begin(), loose_.end());
    for (const Oid& oid : TRY(store_.loose(log_.past))) {
      if (!std::binary_search(loose_.begin(), loose_.end(), oid)) heap_.keep(oid);
    }
    return has_broken_loose_ ? keep_sound_loose() : Result<void>();  // Some may be sound by now.
  }

  Result<void> keep_sound_loose() {
    std::vector<Oid> unneeded = loose_;
    std::erase_if(unneeded, [&](const Oid& oid) { return heap_.is_needed(oid); });
    const std::vector<Oid> sound = TRY(sound_loose(store_, unneeded, heap_, options_));
    for (const Oid& oid : sound) heap_.keep(oid);
    has_broken_loose_ = sound.size() < unneeded.size();
    return {};
  }

  const Store& store_;
  const GcOptions options_;
  const Era era_;
  std::uint64_t seen_ = 0;  // The newest operation whose names are kept.
  LogParts log_;
  std::vector<Oid> loose_;
  bool has_broken_loose_ = false;
  Heap heap_;
};

GarbageSearch::GarbageSearch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GarbageSearch::~GarbageSearch() = default;
GarbageSearch::GarbageSearch(GarbageSearch&&) noexcept = default;

// An error does not count if another gc removed what this one looked for.
Result<GarbageSearch> GarbageSearch::begin(const Store& store, const GcOptions& options) {
  auto impl = std::make_unique<Impl>(store, options, TRY(era_of(store)));
  const auto done = impl->begin();
  if (!done && !TRY(impl->is_outdated())) return done.error();
  return GarbageSearch(std::move(impl));
}

Result<std::optional<Garbage>> GarbageSearch::finish() {
  if (TRY(impl_->is_outdated())) return std::optional<Garbage>();
  auto garbage = impl_->finish();
  if (garbage) return std::optional(std::move(*garbage));
  if (TRY(impl_->is_outdated())) return std::optional<Garbage>();
  return garbage.error();
}

Result<Garbage> find_garbage(const Store& store, const GcOptions& options) {
  return search_for(store, options, [](GarbageSearch& search) { return search.finish(); });
}

Result<Garbage> collect_garbage(Store& store, const GcOptions& options,
                                const std::function<Result<void>(const Garbage&)>& before) {
  return search_for(store, options, [&](GarbageSearch& search) {
    std::optional<Garbage> garbage;
    const auto done = store.exclusive([&]() -> Result<void> {
      garbage = TRY(search.finish());
      if (!garbage) return {};
      if (before) TRY(before(*garbage));
      return store.sweep(garbage->sweep);
    });
    return done ? Result(std::move(garbage)) : Result<std::optional<Garbage>>(done.error());
  });
}

}  // namespace spoor::store
