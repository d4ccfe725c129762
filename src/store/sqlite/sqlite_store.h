#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "store/sqlite/connection.h"
#include "store/sqlite/dictionaries.h"
#include "store/sqlite/files.h"
#include "store/sqlite/log_keeper.h"
#include "store/sqlite/ref_cache.h"
#include "store/store.h"
#include "store/writer_lock.h"

namespace spoor::store {

/// A Store in one SQLite file (docs/format.md), with SQLite's log `FILE-wal` and the lock file
/// `FILE-lock` next to it. Any number of processes may have it open; writers queue, readers never
/// wait (docs/durability.md).
///
/// Every write first checks that the file at the path is still the one that was opened: Code::io if
/// it was replaced.
///
/// Safe to call from any thread; visitors may call the store again. Do not use one across fork().
class SqliteStore final : public Store {
 public:
  enum class Mode : std::uint8_t { read_write, read_only };

  /// The events that an acknowledged commit survives. `full`: a power cut. `normal`: the end of the
  /// process; a power cut may lose the last commits. The store stays sound in both cases.
  enum class Durability : std::uint8_t { full, normal };

  struct Options {
    Mode mode = Mode::read_write;
    Durability durability = Durability::full;
    Waiting waiting = {};  ///< how a write waits for other writing programs
    /// Also opens a store that lacks the end of its log, to check it or to rebuild() it, which
    /// accepts the rest as complete.
    bool accepts_cut_log = false;
    /// How long closing may pack; nullopt: a tenth of the time that the store was open, at most a
    /// second, and not at all if that is too short to be of use.
    std::optional<std::chrono::milliseconds> packing_at_close = {};
  };

  /// Opens a store without changing the file. A read-only store may be in a file and folder that
  /// this process may not write. Code::not_found if there is none, Code::invalid for a file that is
  /// not a store or has a newer format, Code::corrupt for a changed schema or a store that lacks
  /// the end of its log, Code::io if the system fails.
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path, Options options);
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path) {
    return open(path, Options());
  }

  /// Creates a new, empty store and opens it. Code::conflict if `path` exists, Code::not_found if
  /// its folder is missing.
  static Result<std::unique_ptr<SqliteStore>> create(const std::string& path, Options options);
  static Result<std::unique_ptr<SqliteStore>> create(const std::string& path) {
    return create(path, Options());
  }

  /// Makes the store read-only: writes return `answer`. Call before sharing it with another thread.
  void refuse_writes(Error answer) { refusal_ = std::move(answer); }
  const std::optional<Error>& refusal() const { return refusal_; }

  /// Empties the log if no other process has the store open, and a large log whenever that needs no
  /// long wait, so that a store at rest is one file. If this process put 4 MiB or more of new data,
  /// it also packs for a while (Options::packing_at_close) and leaves the rest to other processes.
  ~SqliteStore() override;

  /// The file's absolute path without symbolic links.
  const std::string& path() const { return file_.path; }

  Result<std::vector<Oid>> loose(std::uint64_t since) const override;
  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override;
  Result<std::vector<bool>> has(std::span<const Oid> oids) const override;
  Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                std::size_t limit) const override;
  Result<void> run(const Oid& from, std::size_t count, std::size_t contents,
                   const RunVisitor& visit) const override;
  Result<void> scan(const ScanVisitor& visit) const override;
  Result<std::vector<Ref>> refs(std::string_view prefix) const override;
  Result<std::optional<Oid>> ref(std::string_view name) const override;
  /// Does not wait for the disk if it only puts objects. If it erases, also empties the log, unless
  /// a reader prevents it, so that the bytes do not remain there; SQLite overwrites them in the
  /// file (secure_delete).
  Result<Receipt> commit(const Transaction& transaction) override;
  Result<void> exclusive(const std::function<Result<void>()>& body) override;
  Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                  std::size_t limit) const override;
  Result<OperationNames> folded_names() const override;
  Result<std::optional<LoggedOperation>> newest_operation() const override;
  Result<std::optional<LoggedOperation>> operation_at(std::string_view ref,
                                                      Timestamp time) const override;
  /// Also empties the log, as an erasure. The file keeps its size, and later data fills the free
  /// space, until compact().
  Result<void> sweep(const Sweep& sweep) override;
  /// Runs one transaction for each 256 KiB, as short as a commit's. Stops if another process packs.
  Result<Packing> pack(const std::function<bool()>& is_cancelled) override;
  Result<void> compact() override;
  /// Returns the bytes of the file and its log.
  Result<std::uint64_t> size() const override;

  /// One transaction of a few pages: no row is rewritten. Older programs can no longer open the
  /// file (docs/format.md).
  Result<bool> upgrade() override;
  Result<Properties> properties(std::span<const std::string_view> keys) const override;
  Result<std::optional<std::string>> local(std::string_view key) const override;
  Result<void> set_local(std::string_view key, const std::optional<std::string>& value) override;
  Result<std::optional<std::string>> cached(std::string_view key) const override;
  /// Not durable by itself, and without effect on a read-only store.
  Result<void> put_cached(std::string_view key, std::string_view value) override;
  /// In the file `FILE-search`; in memory if that cannot be written.
  Result<std::unique_ptr<SearchIndex>> search_index() const override;
  Result<std::vector<Finding>> check() const override;
  Result<void> rebuild() override;

 private:
  class Lease;
  class WriteTurn;

  SqliteStore(sqlite::StoreFile file, Options options);

  Result<Lease> borrow() const;
  Result<Lease> borrow_to_write();
  Result<WriterLock::Hold> take_turn(const Waiting& waiting);
  Result<WriteTurn> begin_write(sqlite::Sync sync);
  Result<WriteTurn> begin_write(sqlite::Sync sync, const Waiting& waiting);
  Result<Packing> pack(const std::function<bool()>& is_cancelled, const Waiting& waiting);
  void checkpoint_if_due(sqlite::Connection& connection);
  void empty_log_at_close(bool is_large);
  bool empty_log_in_turn(bool is_large, std::chrono::milliseconds patience);
  std::chrono::milliseconds packing_at_close() const;
  Error cut_off(std::string_view problem) const;
  bool is_for_reading() const { return options_.mode == Mode::read_only || refusal_.has_value(); }
  Result<void> rebuild_all();
  sqlite::Sync commit_sync() const;
  Result<bool> is_in_epoch(sqlite::Connection& connection, const Transaction& transaction);
  Result<void> put_loose(sqlite::Connection& connection, const Transaction& transaction);
  Result<sqlite::LogKeeper::Newest> log(sqlite::Connection& connection,
                                        const Transaction& transaction, const RefLog::Next& next);
  Result<void> pack_table(sqlite::PackedTable table, const std::function<bool()>& is_cancelled,
                          const Waiting& waiting, Packing& done);
  Result<void> unpack_table(sqlite::PackedTable table);
  Result<void> forget_dictionaries();

  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  const sqlite::StoreFile file_;
  const Options options_;
  std::optional<Error> refusal_;  // The error for writes to a read-only store.
  WriterLock writers_;            // Locked first; then refs_mutex_, then idle_mutex_.

  // Unused connections. Readers take them from the front. Writers take them from the back, where
  // the last writer put the connection whose page cache is warm.
  mutable std::mutex idle_mutex_;
  mutable std::deque<std::unique_ptr<sqlite::Connection>> idle_;

  mutable std::mutex refs_mutex_;
  mutable sqlite::RefCache refs_;  // Guarded by refs_mutex_.

  sqlite::LogKeeper log_;         // Used under writers_, like the next.
  bool are_refs_behind_ = false;  // Others may have written since refs_ was read for a change.
  std::optional<std::uint64_t> epoch_;  // As this process last read it, if nobody wrote since.

  std::atomic<std::uint64_t> bytes_put_ = 0;
  bool is_usable_ = false;            // The file was checked and is a store's.
  std::atomic<bool> is_cut_ = false;  // The end of its log is missing; writes are refused.

  std::uint64_t log_inode_ = 0;  // Inode of the log, once known. Used under writers_.

  int log_pages_ = 0;     // After our last commit. Used under writers_, like the next.
  int checkpointed_ = 0;  // log_pages_ at our last checkpoint.
};

}  // namespace spoor::store
