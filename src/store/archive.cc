#include "store/archive.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "store/ancestry.h"
#include "store/attest.h"
#include "store/commit_head.h"
#include "store/erased.h"
#include "store/lines.h"
#include "store/own_tombstones.h"
#include "store/reader.h"
#include "store/references.h"
#include "store/tombstone.h"

namespace spoor::store {
namespace {

class Writer {
 public:
  Writer(const Store& store, const ByteSink& sink)
      : store_(store), reader_(store, kReaderCache), parts_(sink) {}

  Result<ArchiveCount> run(const ArchiveHead& head) {
    const auto is_here = TRY(store_.has(head.haves));
    for (std::size_t i = 0; i < is_here.size(); ++i) {
      if (!is_here[i]) continue;
      had_.insert(head.haves[i]);
      haves_.push_back(TRY(reader_.peel(head.haves[i])));
    }
    TRY(parts_.begin(archive_head_text(head)));
    TRY(write_tombstones());
    for (const Ref& ref : head.refs) TRY(write_all(ref.target));
    TRY(write_attests());
    TRY(parts_.finish());
    return count_;
  }

 private:
  bool is_done(const Oid& oid) const { return written_.contains(oid) || had_.contains(oid); }

  Result<void> write(const Oid& oid, const Object& object) {
    if (is_done(oid)) return {};
    written_.insert(oid);
    TRY(parts_.add(
        fmt::format("object {} {} {}\n", name_of(object.kind), object.body.size(), oid.hex()),
        object.body));
    ++count_.objects;
    count_.bytes += object.body.size();
    if (object.kind == Kind::commit) ++count_.commits;
    return {};
  }

  // Archives every tombstone. Only names absent here count as erased: bytes still stored, because
  // the tombstone came from elsewhere, are included.
  Result<void> write_tombstones() {
    const std::vector<Oid> all = TRY(tombstones());
    const auto objects = TRY(store_.get(all));
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (!objects[at]) continue;  // Listed before it was stored, by a change that failed.
      TRY(verify(all[at], *objects[at]));
      const Tombstone tombstone = TRY(parse_tombstone(objects[at]->body));
      const auto is_here = TRY(store_.has(tombstone.erased));
      for (std::size_t i = 0; i < is_here.size(); ++i) {
        if (!is_here[i]) erased_.insert(tombstone.erased[i]);
      }
    }
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (objects[at]) TRY(write_all(all[at]));
    }
    has_new_tombstones_ = count_.objects > 0;
    return {};
  }

  // Looking for objects of a kind reads the names of all, which a part of a large store must not
  // take. So a part has the tombstones that are listed, and signatures only where some are new.
  Result<std::vector<Oid>> tombstones() const {
    if (haves_.empty()) return all_of(Kind::tombstone);
    const auto list = TRY(store_.property(kTombstones));
    return parse_tombstone_list(list.value_or(""));
  }

  Result<void> write_attests() {
    if (!haves_.empty() && !has_new_tombstones_) return {};
    for (const Oid& oid : TRY(all_of(Kind::attest))) {
      const Object* const object = TRY(read({oid}));
      if (written_.contains(TRY(parse_attest(object->body)).target)) TRY(write(oid, *object));
    }
    return {};
  }

  Result<std::vector<Oid>> all_of(Kind kind) const {
    return store_.find("", kind, std::numeric_limits<std::size_t>::max() / 2);
  }

  // Writes `root` and everything it needs, each object after those it needs. Keeps the open objects
  // as lines of first parents, youngest first, so that a long history does not make a deep stack.
  Result<void> write_all(const Oid& root) {
    const bool is_commit = !TRY(store_.find(root.hex(), Kind::commit, 1)).empty();
    std::vector<std::vector<Oid>> open = {is_commit ? TRY(line_from(root)) : std::vector{root}};
    while (!open.empty()) {
      std::vector<Oid>& line = open.back();
      if (line.empty()) {
        open.pop_back();
        continue;
      }
      const Oid oid = line.back();
      const Object* const object = is_done(oid) ? nullptr : TRY(read(line));
      if (object == nullptr) {
        line.pop_back();
        continue;
      }
      std::vector<std::vector<Oid>> first;
      for (const Reference& needed : TRY(references_of(*object))) {
        // Ancestors come with the parents.
        if (needed.role == Role::skip || needed.role == Role::target) continue;
        if (is_done(needed.oid) || erased_.contains(needed.oid)) continue;
        first.push_back(accepts(needed.role, Kind::commit) ? TRY(line_from(needed.oid))
                                                           : std::vector{needed.oid});
      }
      if (first.empty()) {
        TRY(write(oid, *object));
        ahead_.erase(oid);
        line.pop_back();
      }
      open.insert(open.end(), std::make_move_iterator(first.begin()),
                  std::make_move_iterator(first.end()));
    }
    ahead_.clear();
    return {};
  }

  // Returns a commit and its first parents up to one that was written or that the reader has.
  Result<std::vector<Oid>> line_from(const Oid& oid) {
    std::vector<Oid> line;
    const std::uint64_t count = TRY(new_commits_of(oid));
    // Unverified bytes may name each other in a circle.
    Result<void> sound;
    TRY(store_.run(oid, count, 0, [&](const Store::RunStep& step) {
      if (is_done(step.oid)) return false;
      if (object_name(Kind::commit, step.body) != step.oid) {
        sound = verify(step.oid, {Kind::commit, std::string(step.body)});
      }
      if (sound) line.push_back(step.oid);
      return static_cast<bool>(sound);
    }));
    TRY(sound);
    if (line.empty() && count > 0) line.push_back(oid);  // It is missing.
    if (line.empty()) had_.insert(oid);
    return line;
  }

  // Returns how many commits of the first-parent line of `tip` no have contains.
  Result<std::uint64_t> new_commits_of(const Oid& tip) {
    if (haves_.empty()) return std::numeric_limits<std::size_t>::max();
    const auto newest = reader_.commit(tip);
    if (!newest) return 1;  // It is missing.
    const std::uint64_t all = newest.value()->depth + 1;
    std::uint64_t shared = 0;
    for (const Oid& have : haves_) {
      const auto commit = reader_.commit(have);
      if (!commit) continue;  // A tombstone.
      shared = std::max(shared, TRY(shared_length(reader_, tip, have)));
      if (commit.value()->gen == commit.value()->depth) continue;
      // It has merged others: the line may be in one of these.
      std::uint64_t none_from = all;
      while (shared < none_from) {
        const std::uint64_t depth = shared + (none_from - shared) / 2;
        const Oid middle = TRY(ancestor_at(reader_, tip, depth));
        if (TRY(is_ancestor(reader_, middle, have))) {
          shared = depth + 1;
        } else {
          none_from = depth;
        }
      }
    }
    if (shared > 0) TRY(note_had(TRY(ancestor_at(reader_, tip, shared - 1))));
    return all - shared;
  }

  // Notes what the last commits that the reader has on a line name, since the next ones will most
  // likely name the same: tools, parts of a request.
  Result<void> note_had(const Oid& last) {
    if (had_lines_.contains(last)) return {};
    had_lines_.insert(last);
    std::vector<Oid> names;
    Result<void> sound;
    TRY(store_.run(last, kEdge, 0, [&](const Store::RunStep& step) {
      had_.insert(step.oid);
      const auto commit = parse_commit(step.body);
      if (!commit) sound = commit.error();
      if (commit) add_contents(references_of(commit.value()), names);
      return static_cast<bool>(sound);
    }));
    TRY(sound);
    while (!names.empty()) {
      had_.insert(names.begin(), names.end());
      std::vector<Oid> more;
      for (const auto& object : TRY(store_.get(names))) {
        if (object) add_contents(TRY(references_of(*object)), more);
      }
      names = std::move(more);
    }
    return {};
  }

  // Adds the names of objects that are no commits and not done.
  void add_contents(const std::vector<Reference>& references, std::vector<Oid>& names) const {
    for (const Reference& each : references) {
      if (!accepts(each.role, Kind::commit) && !is_done(each.oid)) names.push_back(each.oid);
    }
  }

  // Returns the last object of `line`, read ahead together with those before it; null if it was
  // erased. Valid until the next call.
  Result<const Object*> read(const std::vector<Oid>& line) {
    const Oid& oid = line.back();
    if (!ahead_.contains(oid)) TRY(read_ahead(line));
    const auto found = ahead_.find(oid);
    if (found != ahead_.end()) return &found->second;
    if (erased_.contains(oid)) return static_cast<const Object*>(nullptr);
    return corrupt(fmt::format("object '{}' is missing", oid.hex()), "run 'spoor store fsck'");
  }

  // Reads the last objects of a line, and what they name, with few calls of the store.
  Result<void> read_ahead(const std::vector<Oid>& line) {
    std::size_t bytes = 0;
    std::vector<Oid> names;
    Result<void> sound;
    const auto take = [&](const Oid& oid, const Object& object) -> Result<void> {
      if (is_done(oid)) return {};
      TRY(verify(oid, object));
      bytes += object.body.size();
      add_contents(TRY(references_of(object)), names);
      ahead_.emplace(oid, object);
      return {};
    };
    if (line.size() == 1) {
      names.push_back(line.back());
    } else {
      const std::size_t count = std::min(line.size(), window_);
      constexpr auto kAll = Store::kAllContents;
      TRY(store_.run(line[line.size() - count], count, kAll, [&](const Store::RunStep& step) {
        sound = take(step.oid, {Kind::commit, std::string(step.body)});
        if (sound && step.content != nullptr) sound = take(*content_of(step.body), *step.content);
        return static_cast<bool>(sound);
      }));
      TRY(sound);
    }
    while (!names.empty()) {
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
      std::erase_if(names, [&](const Oid& each) { return ahead_.contains(each); });
      const std::vector<Oid> wanted = std::exchange(names, {});
      const auto found = TRY(store_.get(wanted));
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (found[i]) TRY(take(wanted[i], *found[i]));
      }
    }
    if (bytes > kAheadBytes) window_ = std::max<std::size_t>(window_ / 4, 1);
    if (bytes < kAheadBytes / 4) window_ = std::min<std::size_t>(window_ * 2, 4'096);
    return {};
  }

  static constexpr std::size_t kReaderCache = 16U << 20U;
  static constexpr std::size_t kAheadBytes = 16U << 20U;
  static constexpr std::size_t kEdge = 32;

  const Store& store_;
  const Reader reader_;
  PartWriter parts_;
  std::vector<Oid> haves_;
  std::unordered_set<Oid> had_;        // The reader of the archive has these, as far as known.
  std::unordered_set<Oid> had_lines_;  // Where new commits begin.
  std::unordered_set<Oid> written_;
  std::unordered_set<Oid> erased_;  // By a tombstone, and absent here.
  std::unordered_map<Oid, Object> ahead_;
  std::size_t window_ = 64;
  bool has_new_tombstones_ = false;
  ArchiveCount count_;
};

}  // namespace

std::string archive_head_text(const ArchiveHead& head) {
  std::string text(kArchiveMagic);
  if (head.is_private) append_line(text, "private", "yes");
  if (head.operation) append_line(text, "operation", *head.operation);
  for (const Oid& have : head.haves) append_line(text, "have", have);
  for (const Ref& ref : head.refs) append_line(text, "ref", ref.name + " " + ref.target.hex());
  return text;
}

Result<ArchiveCount> write_archive(const Store& store, const ArchiveHead& head,
                                   const ByteSink& sink) {
  const bool is_sorted =
      std::adjacent_find(head.refs.begin(), head.refs.end(), [](const Ref& a, const Ref& b) {
        return a.name >= b.name;
      }) == head.refs.end();
  if (head.refs.empty() || !is_sorted) {
    return invalid("an archive needs at least one ref, in order of name", "name a branch or a tag");
  }
  return Writer(store, sink).run(head);
}

}  // namespace spoor::store
