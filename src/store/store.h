#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/commit.h"
#include "store/object.h"
#include "store/operation.h"

namespace spoor::store {

/// An object with its name, as a store hands it out: bytes unchecked.
struct StoredObject {
  Oid oid;
  Object object;
};

/// What one atomic change does. The store adds `prev`, and sees to it that time
/// does not run backwards.
struct Transaction {
  std::vector<NewObject> objects;  ///< put first; what is there already is skipped
  std::vector<RefMove> refs;       ///< each a compare-and-swap; sorted by name, at least one
  std::string actor;
  std::string command;
  Timestamp time;
  std::optional<Oid> undo = {};
  std::vector<std::pair<Oid, Oid>> map = {};
  std::vector<Oid> erase = {};  ///< dropped for good in the same change, as erase() does
  /// Called after `objects` were put, until it returns none: further objects of the same change,
  /// in parts, so that the change may be larger than memory. An error of it ends the commit with
  /// nothing changed. It must not call the store. Empty: there are none.
  std::function<Result<std::vector<NewObject>>()> more = {};
};

/// What a commit() left behind.
struct Receipt {
  Oid operation;           ///< the newest operation after the call
  bool was_there = false;  ///< every ref already had its new value: a retried call
};

/// An operation as the log keeps it.
struct LoggedOperation {
  std::uint64_t number = 0;  ///< 1, 2, 3, … in log order; local to this store
  Oid name;                  ///< operation_name(body)
  std::string body;
};

/// What gc takes away, as one change.
struct Sweep {
  std::vector<Oid> objects;
  /// Takes the place, and the number, of the operation that has its number, and of all before it.
  std::optional<LoggedOperation> checkpoint = {};
  std::uint64_t past = 0;  ///< what was put before this operation is no longer loose
};

/// A ref and where it points.
struct Ref {
  std::string name;
  Oid target;

  bool operator==(const Ref&) const = default;
};

/// Keeps objects under their names, refs, and the log of operations that moved
/// them. Narrow on purpose: three engines implement it. Nothing is interpreted
/// but commits' parents (for `run`) and operations; hashes are checked by the
/// caller, above this port (reader.h).
///
/// One Store is one partition: everything of a conversation, atomic within.
/// Safe to call from any thread. What `commit` acknowledged is readable by every
/// later call of any process, and survives a crash as the store's durability
/// setting says. Every call may answer Code::io or Code::corrupt.
class Store {
 public:
  virtual ~Store() = default;

  /// Stores objects that no ref needs yet; idempotent, and renews what is there: gc
  /// takes it for new (loose()).
  virtual Result<void> put(std::span<const NewObject> objects) = 0;

  /// What was put when operation `since` or a later one was the newest: of the
  /// objects of each put, those that no other of them names. No order.
  virtual Result<std::vector<Oid>> loose(std::uint64_t since) const = 0;

  /// One answer for each oid, in order; nothing where it is not stored.
  virtual Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const = 0;

  /// One answer for each oid, in order.
  virtual Result<std::vector<bool>> has(std::span<const Oid> oids) const = 0;

  /// At most `limit` objects of a kind whose hex name starts with `prefix`
  /// (lower-case digits; anything else matches nothing), in order of name. Two
  /// results prove ambiguity.
  virtual Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                        std::size_t limit) const = 0;

  /// Up to `count` commits of the first-parent chain from `from` on, newest
  /// first. Stops early at a root, at a commit whose bytes are absent, or at one
  /// whose first lines name no parent (commit_head.h; that commit is still handed
  /// out). With `contents`, the visitor also gets the content's object, where it
  /// is stored. The visitor returns false to stop; it may call the store; views
  /// live for its call.
  struct RunStep {
    const Oid& oid;
    std::string_view body;
    const Object* content;
  };
  using RunVisitor = std::function<bool(const RunStep&)>;
  virtual Result<void> run(const Oid& from, std::size_t count, bool contents,
                           const RunVisitor& visit) const;

  /// Every object, in no order: for fsck and export. A damaged row does not end
  /// the scan: the readable ones are handed out, then the answer is
  /// Code::corrupt (check() names the others). The visitor returns false to
  /// stop, and may call the store.
  using ScanVisitor = std::function<bool(const StoredObject&)>;
  virtual Result<void> scan(const ScanVisitor& visit) const = 0;

  /// Refs whose full name starts with `prefix`, by name.
  virtual Result<std::vector<Ref>> refs(std::string_view prefix) const = 0;

  /// Where one ref points now.
  virtual Result<std::optional<Oid>> ref(std::string_view name) const = 0;

  /// The one atomic change: objects, compare-and-swaps and their operation, or
  /// nothing. Code::conflict when a ref is not at `before`; but when every ref
  /// is at `after` already, that is a retried call, and a success that writes
  /// nothing. Code::invalid when the operation would break a rule of the format.
  virtual Result<Receipt> commit(const Transaction& transaction) = 0;

  /// Runs `body` while no other writer, in any process, can commit: for a
  /// read-then-commit that must not lose a race. Writers queue in order of
  /// arrival. Calls of this store from within `body` are on the same thread.
  virtual Result<void> exclusive(const std::function<Result<void>()>& body) = 0;

  /// Operations numbered above `after`, oldest first, at most `limit`.
  virtual Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                          std::size_t limit) const = 0;

  /// The newest operation, if there is one.
  virtual Result<std::optional<LoggedOperation>> newest_operation() const = 0;

  /// The newest operation at or before `time`, among those that name `ref`
  /// (all operations when `ref` is empty).
  virtual Result<std::optional<LoggedOperation>> operation_at(std::string_view ref,
                                                              Timestamp time) const = 0;

  /// Drops objects for good, whatever refers to them, and all cached data, which may
  /// tell of them: erasure's last step. Names of absent objects are passed over.
  /// Returns how many went.
  virtual Result<std::size_t> erase(std::span<const Oid> oids) = 0;

  /// gc's last step: the objects go for good, with all cached data, and the log
  /// begins with the checkpoint, if there is one. Code::invalid when that has the
  /// number of no operation. What is still needed, the caller knows (gc.h), who
  /// found out in exclusive() and calls this there.
  virtual Result<void> sweep(const Sweep& sweep) = 0;

  /// What pack() did: how many rows, and how many bytes they had before and have now.
  struct Packing {
    std::uint64_t rows = 0;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
  };

  /// Compresses what was not yet, where the engine can. Readers and writers go on meanwhile. Ends
  /// soon after `is_cancelled` says true; what was done by then stays done.
  virtual Result<Packing> pack(const std::function<bool()>& is_cancelled);

  /// Gives room that nothing uses any more back to the system, with whatever bytes of
  /// erased objects still lie in it. May take as long as writing the whole store anew.
  /// Code::unavailable when a reader keeps it from the latter: try again.
  virtual Result<void> compact() = 0;

  /// Gives the store the newest format of its engine, all of it or nothing. False when it has that
  /// already, as for an engine with one format.
  virtual Result<bool> upgrade();

  /// Small facts about this copy of the store that no hash covers: HEAD, the
  /// store's own id and options. Keys are words; an absent value removes one.
  virtual Result<std::optional<std::string>> local(std::string_view key) const = 0;
  virtual Result<void> set_local(std::string_view key, const std::optional<std::string>& value) = 0;

  /// Derived data under a key of the caller's: may be dropped at any time, and
  /// is never trusted before it was checked. Engines without room may ignore puts.
  virtual Result<std::optional<std::string>> cached(std::string_view key) const = 0;
  virtual Result<void> put_cached(std::string_view key, std::string_view value) = 0;

  /// What this engine's own structures say is wrong (index against rows, refs
  /// table against log, malformed rows): one line each. fsck adds the hashes.
  struct Finding {
    std::string subject;  ///< an oid's hex, a ref's name, or `operation N`
    std::string problem;
    bool is_lost = false;    ///< nothing is there under the subject, which was once
    bool is_remark = false;  ///< breaks no rule; whoever keeps the store should know
  };
  virtual Result<std::vector<Finding>> check() const = 0;

  /// Makes every derived structure again from objects and operations.
  virtual Result<void> rebuild() = 0;
};

/// A ref's full name for a branch or a tag.
std::string branch_ref(std::string_view branch);
std::string tag_ref(std::string_view tag);

}  // namespace spoor::store
