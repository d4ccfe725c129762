#include "store/archive.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "store/attest.h"
#include "store/reader.h"
#include "store/references.h"
#include "store/sha256.h"
#include "store/tombstone.h"

namespace spoor::store {
namespace {

class Writer {
 public:
  Writer(const Store& store, const ByteSink& sink) : store_(store), sink_(sink) {}

  Result<ArchiveCount> run(const ArchiveHead& head) {
    const bool has_ropes = !TRY(store_.find("", Kind::rope, 1)).empty();
    TRY(line(has_ropes ? kRopeArchiveMagic : kArchiveMagic));
    if (head.is_private) TRY(line("private yes\n"));
    if (head.operation) TRY(line(fmt::format("operation {}\n", head.operation->hex())));
    for (const Ref& ref : head.refs) {
      TRY(line(fmt::format("ref {} {}\n", ref.name, ref.target.hex())));
    }
    TRY(write_tombstones());
    for (const Ref& ref : head.refs) TRY(write_all(ref.target));
    TRY(write_attests());
    TRY(sink_(fmt::format("end {}\n", hash_.hex())));
    return count_;
  }

 private:
  // Hashes each line together with the hash of the lines before it; the names cover the bodies.
  Result<void> line(std::string_view text) {
    hash_ = sha256(hash_.view(), text);
    return sink_(text);
  }

  Result<std::optional<Object>> read(const Oid& oid) const {
    auto found = TRY(store_.get(std::array{oid}));
    if (found[0]) {
      TRY(verify(oid, *found[0]));
    } else if (!erased_.contains(oid)) {
      return corrupt(fmt::format("object '{}' is missing", oid.hex()), "run 'spoor store fsck'");
    }
    return std::move(found[0]);
  }

  Result<void> write(const Oid& oid, const Object& object) {
    if (!written_.insert(oid).second) return {};
    TRY(line(
        fmt::format("object {} {} {}\n", name_of(object.kind), object.body.size(), oid.hex())));
    TRY(sink_(object.body));
    TRY(sink_("\n"));
    ++count_.objects;
    count_.bytes += object.body.size();
    if (object.kind == Kind::commit) ++count_.commits;
    return {};
  }

  // Archives every tombstone. Only names absent here count as erased: bytes still stored, because
  // the tombstone came from elsewhere, are included.
  Result<void> write_tombstones() {
    for (const Oid& oid : TRY(all_of(Kind::tombstone))) {
      const auto object = TRY(read(oid));
      const Tombstone tombstone = TRY(parse_tombstone(object->body));
      const auto is_here = TRY(store_.has(tombstone.erased));
      for (std::size_t i = 0; i < is_here.size(); ++i) {
        if (!is_here[i]) erased_.insert(tombstone.erased[i]);
      }
    }
    for (const Oid& oid : TRY(all_of(Kind::tombstone))) TRY(write_all(oid));
    return {};
  }

  Result<void> write_attests() {
    for (const Oid& oid : TRY(all_of(Kind::attest))) {
      const auto object = TRY(read(oid));
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
    std::vector<std::vector<Oid>> open = {TRY(line_from(root))};
    while (!open.empty()) {
      if (open.back().empty()) {
        open.pop_back();
        continue;
      }
      const Oid oid = open.back().back();
      const auto object = written_.contains(oid) ? std::nullopt : TRY(read(oid));
      if (!object) {
        open.back().pop_back();
        continue;
      }
      std::vector<std::vector<Oid>> first;
      for (const Reference& needed : TRY(references_of(*object))) {
        if (!written_.contains(needed.oid) && !erased_.contains(needed.oid)) {
          first.push_back(TRY(line_from(needed.oid)));
        }
      }
      if (first.empty()) {
        TRY(write(oid, *object));
        open.back().pop_back();
      }
      open.insert(open.end(), std::make_move_iterator(first.begin()),
                  std::make_move_iterator(first.end()));
    }
    return {};
  }

  // Returns a single object, or a commit and its first parents up to one that was written.
  Result<std::vector<Oid>> line_from(const Oid& oid) const {
    std::vector<Oid> line;
    // Unverified bytes may name each other in a circle.
    Result<void> sound;
    TRY(store_.run(oid, std::numeric_limits<std::size_t>::max(), false,
                   [&](const Store::RunStep& step) {
                     if (written_.contains(step.oid)) return false;
                     if (object_name(Kind::commit, step.body) != step.oid) {
                       sound = verify(step.oid, {Kind::commit, std::string(step.body)});
                     }
                     if (sound) line.push_back(step.oid);
                     return static_cast<bool>(sound);
                   }));
    TRY(sound);
    if (line.empty()) line.push_back(oid);
    return line;
  }

  const Store& store_;
  const ByteSink& sink_;
  std::unordered_set<Oid> written_;
  std::unordered_set<Oid> erased_;  // By a tombstone, and absent here.
  Oid hash_;
  ArchiveCount count_;
};

}  // namespace

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
