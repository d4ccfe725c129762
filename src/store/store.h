#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/commit.h"
#include "store/object.h"
#include "store/operation.h"
#include "store/search_index.h"

namespace spoor::store {

/// An object with its name, as a store returns it: not verified.
struct StoredObject {
  Oid oid;
  Object object;
};

/// A property of a store: a key, and its new value (nullopt removes it).
using PropertyChange = std::pair<std::string, std::optional<std::string>>;

/// One atomic change, with the conditions under which it is made. The store adds `prev` and keeps
/// the log's times from decreasing.
struct Transaction {
  std::vector<NewObject> objects;  ///< put after `erase`; stored ones are skipped
  /// Each a compare-and-swap; sorted by name. If there is none, nothing is logged, and the objects
  /// are loose (Store::put).
  std::vector<RefMove> refs;
  std::string actor;
  std::string command;
  Timestamp time;
  std::optional<Oid> undo = {};
  std::vector<std::pair<Oid, Oid>> map = {};
  std::vector<Oid> erase = {};  ///< removed for good in the same change (Store::erase)
  std::vector<PropertyChange> properties = {};
  std::vector<Oid> required = {};  ///< Code::not_found if one of these was not stored before
  /// The epoch (Properties::epoch) in which the caller read what the change depends on. Nothing is
  /// written if it is over: Receipt::is_stale.
  std::optional<std::uint64_t> epoch = {};
  /// Called after `objects` were put, until it returns an empty list: returns further objects of
  /// the same change in parts, so that the change may be larger than memory. If it returns an
  /// error, the commit fails and changes nothing. It must not call the store. May be empty.
  std::function<Result<std::vector<NewObject>>()> more = {};
};

/// The result of a commit().
struct Receipt {
  Oid operation;           ///< the operation that the call made; zeros if it made none
  bool was_there = false;  ///< every ref already had its new value: a retried call
  bool is_stale = false;   ///< nothing was written: read the properties again and try again
  std::size_t erased = 0;  ///< the number of objects removed
};

/// Properties of a store, as of one moment.
struct Properties {
  /// Grows with every change of a property, every erasure and every sweep, and may with compact().
  /// What is stored stays stored until its epoch ends.
  std::uint64_t epoch = 0;
  /// Grows with every erasure and every sweep, and may with compact(): what was derived at another
  /// count may contain parts of removed objects.
  std::uint64_t erasures = 0;
  std::vector<std::optional<std::string>> values;  ///< in the order of the keys asked for
};

/// An operation as stored in the log.
struct LoggedOperation {
  std::uint64_t number = 0;  ///< 1, 2, 3, … in log order; local to this store
  Oid name;                  ///< operation_name(body)
  std::string body;
};

/// Names of consecutive operations, each as the `prev` of the operation after it has it.
struct OperationNames {
  std::uint64_t first = 0;  ///< the number of the first operation; 0: there are none
  std::vector<Oid> names;
};

/// The objects and operations that gc removes, as one change.
struct Sweep {
  std::vector<Oid> objects;
  /// Replaces the operation with the same number and all operations before it.
  std::optional<LoggedOperation> checkpoint = {};
  std::uint64_t past = 0;  ///< objects put before this operation are no longer loose
};

/// A ref and where it points.
struct Ref {
  std::string name;
  Oid target;

  bool operator==(const Ref&) const = default;
};

/// A store of objects by name, refs, and the log of operations that moved the refs. Narrow on
/// purpose: three engines implement it. It interprets only commits' parents (for `run`) and
/// operations; callers verify hashes (reader.h).
///
/// One Store is one partition: it contains whole conversations, and changes are atomic within it.
/// Safe to call from any thread. Once `commit` has returned, every later call of any process can
/// read the change, and it survives a crash according to the store's durability setting. Every call
/// may return Code::io or Code::corrupt.
class Store {
 public:
  virtual ~Store() = default;

  /// Returns the objects put while operation `since` or a later one was the newest, whether they
  /// are still stored or not: of each put, or part of one (Transaction::more), only the objects
  /// that no other of the same names. In no order.
  virtual Result<std::vector<Oid>> loose(std::uint64_t since) const = 0;

  /// Returns one object for each oid, in order; nullopt for one that is not stored.
  virtual Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const = 0;

  /// Returns for each oid, in order, whether it is stored.
  virtual Result<std::vector<bool>> has(std::span<const Oid> oids) const = 0;

  /// Returns at most `limit` objects of a kind whose hex name starts with `prefix`, in order of
  /// name. `prefix` is lower-case digits; anything else matches nothing. Two results prove
  /// ambiguity.
  virtual Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                        std::size_t limit) const = 0;

  /// Visits up to `count` commits of the first-parent chain from `from` on, newest first. Stops
  /// early at a root, at a commit whose bytes are absent, or after one whose first lines name no
  /// parent (commit_head.h). The visitor also gets the content's object, if it is stored, of the
  /// first commits whose contents have `contents` bytes; and the fields' object, if the engine can
  /// read it with the same call. The visitor returns false to stop; it may call the store; views
  /// are valid during its call.
  struct RunStep {
    const Oid& oid;
    std::string_view body;
    const Object* content;
    const Object* fields = nullptr;
  };
  static constexpr std::size_t kAllContents = std::numeric_limits<std::size_t>::max();
  using RunVisitor = std::function<bool(const RunStep&)>;
  virtual Result<void> run(const Oid& from, std::size_t count, std::size_t contents,
                           const RunVisitor& visit) const;

  /// Visits the commits on the way from `from` to its first-parent ancestor `steps` back: `from`,
  /// then each that the one before leads to (skips_toward() in commit.h), down to that ancestor. A
  /// commit with fewer ancestors is visited alone. Stops early at a commit whose bytes are absent,
  /// after one whose first lines name no depth, and after kLongestWay commits, which are more than
  /// a history of the format has. The visitor gets no contents, and the rest is as in run().
  static constexpr std::size_t kLongestWay = 256;
  virtual Result<void> follow(const Oid& from, std::uint64_t steps, const RunVisitor& visit) const;

  /// Visits every object, in no order, for fsck and export. A damaged row does not end the scan:
  /// all readable objects are visited, then the result is Code::corrupt (check() names the damaged
  /// ones). The visitor returns false to stop, and may call the store.
  using ScanVisitor = std::function<bool(const StoredObject&)>;
  virtual Result<void> scan(const ScanVisitor& visit) const = 0;

  /// Returns the refs whose full name starts with `prefix`, by name.
  virtual Result<std::vector<Ref>> refs(std::string_view prefix) const = 0;

  /// Returns the current value of one ref.
  virtual Result<std::optional<Oid>> ref(std::string_view name) const = 0;

  /// Whether each ref has a chain of operations of its own, so that writers of different refs do
  /// not wait for each other. `prev` of an operation is then the newest earlier one that moves its
  /// first ref, and times do not decrease along a ref. The numbers keep to the order of each ref,
  /// and an operation whose call began after another call ended has the higher number, whatever the
  /// clocks of the two say.
  virtual bool has_lanes() const { return false; }

  /// Applies one atomic change: all of it, or nothing. The first of these decides: Code::invalid if
  /// the operation would break a rule of the format. If every ref is at `after` already, it is a
  /// retried call, which succeeds and writes nothing. Code::conflict if a ref is not at `before`.
  /// Receipt::is_stale if the epoch is over. Code::not_found if a required object is not stored. A
  /// change that only puts objects is not on disk before the next one that does more.
  virtual Result<Receipt> commit(const Transaction& transaction) = 0;

  /// Stores objects that no ref needs yet. Idempotent. Renews stored objects: gc treats them as new
  /// (loose()).
  Result<void> put(std::span<const NewObject> objects);

  /// Removes objects for good, even if others refer to them, and all cached data, which may contain
  /// parts of them. The last step of an erasure. Ignores names of absent objects. Returns the
  /// number of objects removed.
  Result<std::size_t> erase(std::span<const Oid> oids);

  /// Runs `body`, which must call this store on the same thread, while no other writer can commit.
  /// Writers queue in order of arrival. For gc and erasure, and for one who must not lose a race
  /// again; others state what they depend on (Transaction) and need no lock. Code::conflict if the
  /// lock was lost with a connection, and a call of `body` failed for that: it may be run again.
  virtual Result<void> exclusive(const std::function<Result<void>()>& body) = 0;

  /// Returns operations numbered above `after`, oldest first, at most `limit`.
  virtual Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                          std::size_t limit) const = 0;

  /// Returns the names of all operations that sweep() replaced by a checkpoint, which outlive them:
  /// the proofs of the log (proof/log_tree.h) need them. By default none, for an engine that keeps
  /// every operation. Code::unavailable if the engine's format does not keep them: upgrade().
  virtual Result<OperationNames> folded_names() const;

  /// Returns the newest operation, if there is one.
  virtual Result<std::optional<LoggedOperation>> newest_operation() const = 0;

  /// Returns the newest operation at or before `time`, among those that name `ref` (all operations
  /// if `ref` is empty).
  virtual Result<std::optional<LoggedOperation>> operation_at(std::string_view ref,
                                                              Timestamp time) const = 0;

  /// Removes the objects for good, with all cached data, and makes the checkpoint, if any, the
  /// first entry of the log. The last step of gc. Code::invalid if no operation has the
  /// checkpoint's number. The store does not check what is still needed: the caller determines that
  /// (gc.h) and calls this in the same exclusive().
  virtual Result<void> sweep(const Sweep& sweep) = 0;

  /// The work done by pack(): the rows compressed, and their bytes before and after.
  struct Packing {
    std::uint64_t rows = 0;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
  };

  /// Compresses rows that are not compressed yet, if the engine can. Does not block readers or
  /// writers. Ends soon after `is_cancelled` returns true; finished work is kept.
  virtual Result<Packing> pack(const std::function<bool()>& is_cancelled);

  /// Returns unused space to the system, including any bytes of erased objects in it. May take as
  /// long as rewriting the whole store. Code::unavailable if a reader prevents that: try again.
  virtual Result<void> compact() = 0;

  /// Returns how many bytes the store takes where it is kept, or nearly. By default those of its
  /// objects.
  virtual Result<std::uint64_t> size() const;

  /// Converts the store to the newest format of its engine, completely or not at all. False if it
  /// has that format already, or the engine has only one.
  virtual Result<bool> upgrade();

  /// Reads properties of the store, which no hash covers and all its users share: its id, options,
  /// the list of its tombstones. Keys are words. One call, as of one moment.
  virtual Result<Properties> properties(std::span<const std::string_view> keys) const = 0;

  /// Reads one property.
  Result<std::optional<std::string>> property(std::string_view key) const;

  /// Sets a property, or removes it (nullopt).
  Result<void> set_property(std::string_view key, const std::optional<std::string>& value);

  /// Reads a small fact of this user's workspace, which other users of the store need not see:
  /// HEAD and the like. Keys are words, different from those of properties. Setting nullopt removes
  /// a fact. Starts no epoch.
  virtual Result<std::optional<std::string>> local(std::string_view key) const = 0;
  virtual Result<void> set_local(std::string_view key, const std::optional<std::string>& value) = 0;

  /// Reads derived data under a key of the caller. It may be dropped at any time, and is checked
  /// before it is trusted (kept_cache.h). Engines without room may ignore puts. A put waits hardly
  /// at all for other writers: Code::unavailable.
  virtual Result<std::optional<std::string>> cached(std::string_view key) const = 0;
  virtual Result<void> put_cached(std::string_view key, std::string_view value) = 0;

  /// Opens the index of the words in the store's texts, to be filled by the caller. By default one
  /// in memory, which is empty at first.
  virtual Result<std::unique_ptr<SearchIndex>> search_index() const;

  /// An inconsistency in the engine's own structures (index against rows, refs table against log,
  /// malformed rows), in one line. fsck adds the hashes.
  struct Finding {
    std::string subject;  ///< an oid's hex, a ref's name, or `operation N`
    std::string problem;
    bool is_lost = false;    ///< the subject existed once and is missing
    bool is_remark = false;  ///< breaks no rule, but the store's owner should know
  };
  virtual Result<std::vector<Finding>> check() const = 0;

  /// Rebuilds every derived structure from objects and operations.
  virtual Result<void> rebuild() = 0;
};

/// The error of a change that requires an object which is no longer stored.
Error not_stored(const Oid& oid);

/// Returns the full ref name of a branch or a tag.
std::string branch_ref(std::string_view branch);
std::string tag_ref(std::string_view tag);

}  // namespace spoor::store
