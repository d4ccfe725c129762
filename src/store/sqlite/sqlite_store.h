#pragma once

#include <atomic>
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

/// A Store in one SQLite file (docs/format.md), with SQLite's log `FILE-wal` and
/// the lock file `FILE-lock` beside it. Any number of processes may have it
/// open; writers queue, readers wait for nobody (docs/durability.md).
///
/// Every write looks first whether the file at the path is still the one that was opened: Code::io
/// when somebody has put another one there.
///
/// Safe to call from any thread; visitors may call the store again. Do not carry
/// one over fork().
class SqliteStore final : public Store {
 public:
  enum class Mode : std::uint8_t { read_write, read_only };

  /// What an acknowledged commit survives. `full`: a power cut. `normal`: the end
  /// of the process, but the last commits may be gone after a power cut; the
  /// store is sound in both cases.
  enum class Durability : std::uint8_t { full, normal };

  struct Options {
    Mode mode = Mode::read_write;
    Durability durability = Durability::full;
    Waiting waiting = {};  ///< of a write for other programs that write
    /// Opens also a store that lacks the end of its log: to check it, or to rebuild() it, which
    /// takes what is left for all there is.
    bool accepts_cut_log = false;
  };

  /// Opens a store. Changes nothing in the file; for reading only it need not be a file that may be
  /// written, nor lie in such a folder. Code::not_found when there is
  /// none, Code::invalid for what is no store or of a newer format, Code::corrupt
  /// for a file whose schema was tampered with, or that was cut from its log; Code::io when the
  /// system refuses.
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path, Options options);
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path) {
    return open(path, Options());
  }

  /// Makes a new, empty store and opens it. Code::conflict when something is at
  /// `path` already, Code::not_found when its folder is missing.
  static Result<std::unique_ptr<SqliteStore>> create(const std::string& path, Options options);
  static Result<std::unique_ptr<SqliteStore>> create(const std::string& path) {
    return create(path, Options());
  }

  /// From now on the store can only be read, and `answer` is given to who writes. Before it is
  /// shared with another thread.
  void refuse_writes(Error answer) { refusal_ = std::move(answer); }
  const std::optional<Error>& refusal() const { return refusal_; }

  /// Empties the log where nobody else has the store open, and a large one wherever that needs no
  /// long wait: at rest the file is all there is of a store. Who has put 4 MiB or more that were
  /// not there packs for about a second, and leaves the rest to others.
  ~SqliteStore() override;

  /// The file, as an absolute path without symbolic links.
  const std::string& path() const { return file_.path; }

  /// Readable when a following commit is, and as durable as that one: a put alone
  /// does not wait for the disk.
  Result<void> put(std::span<const NewObject> objects) override;
  Result<std::vector<Oid>> loose(std::uint64_t since) const override;
  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override;
  Result<std::vector<bool>> has(std::span<const Oid> oids) const override;
  Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                std::size_t limit) const override;
  Result<void> run(const Oid& from, std::size_t count, bool contents,
                   const RunVisitor& visit) const override;
  Result<void> scan(const ScanVisitor& visit) const override;
  Result<std::vector<Ref>> refs(std::string_view prefix) const override;
  Result<std::optional<Oid>> ref(std::string_view name) const override;
  Result<Receipt> commit(const Transaction& transaction) override;
  Result<void> exclusive(const std::function<Result<void>()>& body) override;
  Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                  std::size_t limit) const override;
  Result<std::optional<LoggedOperation>> newest_operation() const override;
  Result<std::optional<LoggedOperation>> operation_at(std::string_view ref,
                                                      Timestamp time) const override;
  /// Also empties the log, where no reader is in the way, so that the bytes are
  /// not left in it; SQLite overwrites them in the file (secure_delete).
  Result<std::size_t> erase(std::span<const Oid> oids) override;
  /// As erase(). The file keeps its size, and what follows fills it, until compact().
  Result<void> sweep(const Sweep& sweep) override;
  /// One more transaction for each 256 KiB, as short as a commit's. Leaves it to another process
  /// that does the same.
  Result<Packing> pack(const std::function<bool()>& is_cancelled) override;
  Result<void> compact() override;

  /// One transaction of a few pages: no row is written anew. Older programs do not open the file
  /// any more (docs/format.md).
  Result<bool> upgrade() override;
  Result<std::optional<std::string>> local(std::string_view key) const override;
  Result<void> set_local(std::string_view key, const std::optional<std::string>& value) override;
  Result<std::optional<std::string>> cached(std::string_view key) const override;
  /// Not durable on its own, and without effect on a store opened read-only.
  Result<void> put_cached(std::string_view key, std::string_view value) override;
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
  Error cut_off(std::string_view problem) const;
  bool is_for_reading() const { return options_.mode == Mode::read_only || refusal_.has_value(); }
  Result<void> rebuild_all();
  sqlite::Sync commit_sync() const;
  Result<void> pack_table(sqlite::PackedTable table, const std::function<bool()>& is_cancelled,
                          const Waiting& waiting, Packing& done);
  Result<void> unpack_table(sqlite::PackedTable table);
  Result<void> forget_dictionaries();

  const sqlite::StoreFile file_;
  const Options options_;
  std::optional<Error> refusal_;  // Of writes: only reading is asked for.
  WriterLock writers_;            // First of the locks; then refs_mutex_, then idle_mutex_.

  // Connections nobody uses now. Readers take them from the front, writers from
  // the back, where the last writer put the one whose page cache is warm.
  mutable std::mutex idle_mutex_;
  mutable std::deque<std::unique_ptr<sqlite::Connection>> idle_;

  mutable std::mutex refs_mutex_;
  mutable sqlite::RefCache refs_;  // Guarded by refs_mutex_.

  sqlite::LogKeeper log_;  // Used by whoever has writers_.

  std::atomic<std::uint64_t> bytes_put_ = 0;
  bool is_usable_ = false;            // Its file was looked at, and is a store's.
  std::atomic<bool> is_cut_ = false;  // It lacks the end of its log, and nobody may write.

  std::uint64_t log_inode_ = 0;  // Of the log, once known. Used by whoever has writers_.

  int log_pages_ = 0;     // After our last commit. Used by whoever has writers_, as the next.
  int checkpointed_ = 0;  // log_pages_ at our last checkpoint.
};

}  // namespace spoor::store
