#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/read_limits.h"
#include "store/blob.h"
#include "store/bundle.h"
#include "store/commit.h"
#include "store/erased.h"
#include "store/lru.h"
#include "store/rope.h"
#include "store/store.h"
#include "store/tag.h"

namespace spoor::store {

/// A commit and its name.
struct NamedCommit {
  Oid oid;
  std::shared_ptr<const Commit> commit;
};

/// Reads objects and verifies them: hashes every body (Code::corrupt if it does not match its
/// name), parses it, and keeps the result in a bounded cache. Objects are immutable, so the cache
/// never goes stale.
///
/// Safe to call from any thread. Returned values are shared and never change.
class Reader {
 public:
  /// `store` must outlive the reader. The cache holds at most about `cache_bytes`. `is_cancelled`
  /// is called on every read, from any thread; while it returns true, reads are Code::interrupted.
  /// `limits` bounds what content() and contents() read.
  explicit Reader(const Store& store, std::size_t cache_bytes = 128U << 20U,
                  std::function<bool()> is_cancelled = {}, ReadLimits limits = {});

  /// Whether what is read enters the cache. A long walk would only displace what is there.
  enum class Keep { newest, nothing };
  /// Returns the suitable Keep for a walk over `commits` commits in total.
  static Keep keep_for(std::uint64_t commits);

  /// Reads a commit. Code::not_found if it is not stored, Code::invalid if it is not a commit.
  Result<std::shared_ptr<const Commit>> commit(const Oid& oid) const;

  /// Reads a commit that leads to its first-parent ancestor `steps` back. If it is not cached, it
  /// is read and cached together with those on the way there (Store::follow).
  Result<std::shared_ptr<const Commit>> commit_toward(const Oid& oid, std::uint64_t steps) const;

  /// Reads many commits, in order, with few calls to the store for those not cached.
  Result<std::vector<std::shared_ptr<const Commit>>> commits(std::span<const Oid> oids) const;

  /// Returns the commit that a tag object names; for any other object, `oid` itself. `steps`: a
  /// commit is read as commit_toward() does.
  Result<Oid> peel(const Oid& oid, std::uint64_t steps = 0) const;

  /// Reads a tag object; nullopt if `oid` is another kind of object.
  Result<std::optional<Tag>> tag(const Oid& oid) const;

  /// Reads a bundle. Code::invalid if the object is not a bundle.
  Result<Bundle> bundle(const Oid& oid) const;

  /// Reads a content: the bytes of a blob, or the joined parts of a chunk list or a rope. Returns
  /// erasure_text() for an erased content, and has it in place of an erased piece of a rope.
  /// Code::denied if it is over the limits.
  Result<std::shared_ptr<const std::string>> content(const Oid& oid) const;

  /// Reads many contents, in order, with few calls to the store for those not cached. Equal names
  /// are read once and share their text. Code::denied if the texts read exceed the limits together.
  Result<std::vector<std::shared_ptr<const std::string>>> contents(std::span<const Oid> oids,
                                                                   Keep keeps = Keep::newest) const;

  /// Reads many as contents() does, but returns null for each that is not stored.
  Result<std::vector<std::shared_ptr<const std::string>>> stored_contents(
      std::span<const Oid> oids, Keep keeps = Keep::newest) const;

  /// Returns the blobs of a rope in order, those of the ropes in it included. Empty if `oid` is not
  /// a rope, or not stored. Code::denied if its text is over the limits, Code::corrupt if a rope in
  /// it has another size than is said.
  Result<std::vector<RopePiece>> leaves(const Oid& oid) const;

  /// Visits up to `count` commits of the first-parent chain, newest first, verified. The visitor
  /// returns false to stop. Code::not_found if the chain breaks off. Of commits that are not
  /// cached, it also caches up to `contents` bytes of contents, which a caller will read next.
  using Visitor = std::function<bool(const NamedCommit&)>;
  Result<void> run(const Oid& from, std::size_t count, const Visitor& visit,
                   Keep keeps = Keep::newest, std::size_t contents = 0) const;

  /// Makes an object that is about to be written readable through this reader only, until
  /// unstage(), so that a transaction reads its own writes. Several callers may stage equal
  /// objects; each `object` must stay at its address until its own unstage(). `commit` is its
  /// parsed form, if it is a commit.
  void stage(const NewObject& object, std::shared_ptr<const Commit> commit = nullptr) const;
  void unstage(const NewObject& object) const;

  /// Caches a commit that the caller has just hashed and stored.
  void remember(const Oid& oid, std::shared_ptr<const Commit> commit) const;

  /// Empties the caches. For tests, and after another process has written the store.
  void drop_caches() const;

  const Store& store() const { return store_; }
  const ReadLimits& limits() const { return limits_; }
  /// The erased names of the store, with reasons.
  const ErasedNames& erased() const { return erased_; }

 private:
  Result<void> check_cancelled() const;
  std::shared_ptr<const Commit> known(const Oid& oid) const;
  Result<Object> object(const Oid& oid) const;
  Result<std::shared_ptr<const Commit>> parse(const Oid& oid, const Object& object) const;
  Result<std::shared_ptr<const std::string>> decode(const Oid& oid, Object object) const;
  Result<std::shared_ptr<const std::string>> join(const Oid& oid, const ChunkList& list) const;
  Result<std::vector<RopePiece>> leaves_of(const Oid& oid, Rope rope) const;
  Result<std::shared_ptr<const std::string>> read(const Oid& oid, std::optional<Object> stored,
                                                  Keep keeps) const;
  void keep(const Oid& oid, const Object* object) const;
  Result<std::shared_ptr<const std::string>> absent(const Oid& oid) const;

  const Store& store_;
  const ErasedNames erased_;
  const std::function<bool()> is_cancelled_;  // May be empty.
  const ReadLimits limits_;
  mutable std::mutex mutex_;
  mutable Lru<Commit> commits_;  // Guarded by mutex_, like the members below.
  mutable Lru<std::string> contents_;

  struct Staged {
    std::vector<const NewObject*> objects;  // Equal objects of different owners; never empty.
    std::shared_ptr<const Commit> commit;
  };
  mutable std::unordered_map<Oid, Staged> staged_;
};

/// Returns Code::corrupt unless `object` hashes to `oid`.
Result<void> verify(const Oid& oid, const Object& object);

}  // namespace spoor::store
