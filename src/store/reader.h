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
#include "store/store.h"
#include "store/tag.h"

namespace spoor::store {

/// A commit and its name.
struct NamedCommit {
  Oid oid;
  std::shared_ptr<const Commit> commit;
};

/// Reads objects and believes none of them: every body is hashed before it is
/// handed out (Code::corrupt when it does not match its name), parsed, and kept
/// in a bounded cache. Objects are immutable, so the cache never goes stale.
///
/// Safe to call from any thread. What is handed out is shared and never changes.
class Reader {
 public:
  /// `store` must outlive the reader. At most about `cache_bytes` are kept. `is_cancelled` is
  /// asked with every read, from any thread: while it says true, reads are Code::interrupted.
  /// `limits` bounds what content() and contents() read.
  explicit Reader(const Store& store, std::size_t cache_bytes = 128U << 20U,
                  std::function<bool()> is_cancelled = {}, ReadLimits limits = {});

  /// Code::not_found when it is not stored, Code::invalid when it is no commit.
  Result<std::shared_ptr<const Commit>> commit(const Oid& oid) const;

  /// The commit that a name stands for: what a tag object names, else `oid` itself,
  /// whatever that is.
  Result<Oid> peel(const Oid& oid) const;

  /// The tag object of this name; nothing when it is another object.
  Result<std::optional<Tag>> tag(const Oid& oid) const;

  /// What a model call was sent. Code::invalid when the object is no bundle.
  Result<Bundle> bundle(const Oid& oid) const;

  /// The bytes of a content: a blob's, or those that a chunk list joins, each part of which is read
  /// once. Of one that was erased, erasure_text(). Code::denied for one that is over the limits.
  Result<std::shared_ptr<const std::string>> content(const Oid& oid) const;

  /// The same for many, in order, with few calls to the store for what is not at hand. Equal names
  /// are read once, and share their text. Code::denied when the texts that are read come to more
  /// than the limits together.
  Result<std::vector<std::shared_ptr<const std::string>>> contents(std::span<const Oid> oids) const;

  /// Up to `count` commits of the first-parent chain, newest first, verified.
  /// The visitor returns false to stop. Code::not_found when the chain breaks off.
  /// `keeps` says whether they go into the cache, which a long walk would only empty.
  using Visitor = std::function<bool(const NamedCommit&)>;
  enum class Keep { newest, nothing };
  /// What suits a walk over so many commits in all.
  static Keep keep_for(std::uint64_t commits);
  Result<void> run(const Oid& from, std::size_t count, const Visitor& visit,
                   Keep keeps = Keep::newest) const;

  /// Makes an object that is about to be written readable here, and here only,
  /// until unstage(): a transaction reads its own writes. Several may stage equal
  /// objects; each `object` must stay where it is until its own unstage(). `commit`
  /// is its parsed form, if it is one.
  void stage(const NewObject& object, std::shared_ptr<const Commit> commit = nullptr) const;
  void unstage(const NewObject& object) const;

  /// Keeps a commit that the caller has just hashed and stored.
  void remember(const Oid& oid, std::shared_ptr<const Commit> commit) const;

  /// Forgets everything. For tests, and when someone else has written the store.
  void drop_caches() const;

  const Store& store() const { return store_; }
  const ReadLimits& limits() const { return limits_; }
  /// What was erased from the store, and why.
  const ErasedNames& erased() const { return erased_; }

 private:
  Result<void> check_cancelled() const;
  Result<Object> object(const Oid& oid) const;
  Result<std::shared_ptr<const std::string>> decode(const Oid& oid, const Object& object) const;
  Result<std::shared_ptr<const std::string>> join(const Oid& oid, const ChunkList& list) const;
  Result<std::shared_ptr<const std::string>> read(const Oid& oid,
                                                  const std::optional<Object>& stored) const;
  Result<std::shared_ptr<const std::string>> absent(const Oid& oid) const;

  const Store& store_;
  const ErasedNames erased_;
  const std::function<bool()> is_cancelled_;  // May be empty.
  const ReadLimits limits_;
  mutable std::mutex mutex_;
  mutable Lru<Commit> commits_;  // Guarded by mutex_, as are the others.
  mutable Lru<std::string> contents_;

  struct Staged {
    std::vector<const NewObject*> objects;  // Equal ones, of different owners. Never empty.
    std::shared_ptr<const Commit> commit;
  };
  mutable std::unordered_map<Oid, Staged> staged_;
};

/// Code::corrupt unless `object` has this name.
Result<void> verify(const Oid& oid, const Object& object);

}  // namespace spoor::store
