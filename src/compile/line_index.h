#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/kept_cache.h"
#include "store/reader.h"

namespace spoor::compile {

/// A commit and its depth.
struct CommitAtDepth {
  std::uint64_t depth = 0;
  store::Oid oid;

  bool operator==(const CommitAtDepth&) const = default;
};

/// Finds the few commits of a long line that change more than the end of a prompt, so that a
/// partial fold (part_fold.h) reads those in place of all.
///
/// What it finds about each stretch of 256 commits is kept in the store, if it suffices. It follows
/// from the commits alone, so it never becomes wrong, and lines that share commits share it. At
/// every 64th stretch the 64 are kept again as one, and so on: a line of 10^6 is read in at most
/// 130 rows. Skip pointers are believed, as everywhere; fsck checks them.
///
/// Safe to call from any thread.
class LineIndex {
 public:
  /// Both must outlive the index.
  LineIndex(const store::Reader& reader, const store::KeptCache& cache)
      : reader_(reader), cache_(cache) {}

  /// Returns whether stretches can be kept. If not, needed() reads every commit each time.
  bool is_usable() const { return cache_.is_usable(); }

  /// Returns the commits of the first-parent line to `tip` that are not plain turns (appended, and
  /// not pinned by default), and the plain turns that those name as targets. Oldest first, each
  /// once. Returns nullopt if that does not suffice: the line has a merge, a commit whose depth is
  /// not its parent's plus one, or a directive whose target is not on it. Returns the reader's
  /// errors.
  Result<std::optional<std::vector<CommitAtDepth>>> needed(const store::Oid& tip) const;

 private:
  // Consecutive commits of a line.
  struct Stretch {
    std::uint64_t commits = 0;
    std::optional<store::Oid> before;  // The parent of the first; nullopt: it is a root.
    bool suffices = true;              // If false, `needed` is empty.
    std::vector<CommitAtDepth> needed;
  };

  Result<Stretch> read(const store::Oid& last, std::uint64_t depth, std::uint64_t count) const;
  Result<Stretch> kept_to(const store::Oid& last, std::uint64_t depth) const;
  Result<bool> add_targets(const store::NamedCommit& directive,
                           std::vector<CommitAtDepth>& found) const;
  static void put_before(Stretch older, Stretch& stretch);
  static std::string write(const Stretch& stretch, std::uint64_t depth);
  static std::optional<Stretch> parse(std::string_view kept, std::uint64_t depth);

  const store::Reader& reader_;
  const store::KeptCache& cache_;
};

}  // namespace spoor::compile
