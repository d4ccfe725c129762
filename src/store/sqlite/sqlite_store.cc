#include "store/sqlite/sqlite_store.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/erased.h"
#include "store/oid_prefix.h"
#include "store/sqlite/at_rest.h"
#include "store/sqlite/audit.h"
#include "store/sqlite/cache_file.h"
#include "store/sqlite/erasures.h"
#include "store/sqlite/files.h"
#include "store/sqlite/folded.h"
#include "store/sqlite/gc.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/local_facts.h"
#include "store/sqlite/log_cut.h"
#include "store/sqlite/names.h"
#include "store/sqlite/numbers.h"
#include "store/sqlite/objects.h"
#include "store/sqlite/packer.h"
#include "store/sqlite/properties.h"
#include "store/sqlite/rebuild.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/text_index.h"
#include "store/sqlite/walk.h"

namespace spoor::store {

using sqlite::Connection;
using sqlite::Handle;
using sqlite::PackedTable;
using sqlite::Query;
using sqlite::ReadTransaction;
using sqlite::Statement;
using sqlite::Sync;

namespace {

// A log of this many pages (16 MB) is copied back after a commit. If other processes have the store
// open, a closing writer leaves fewer pages: the next process to open the store reads the whole log
// first, at about 2 microseconds a page. The last process leaves none.
constexpr int kCheckpointPages = 4'000;
constexpr int kCheckpointPagesAtClose = 256;

// A process that put at least this many bytes packs when closing, for a tenth of the time that it
// had the store open, so that packing slows no writer by more. Less than the shortest time is not
// worth reading the table. Training a dictionary, which a store needs a few times in its life, may
// take seconds more.
constexpr std::uint64_t kBytesPackedAtClose = 4U << 20U;
constexpr std::chrono::milliseconds kLongestPackingAtClose{1'000};
constexpr std::chrono::milliseconds kShortestPackingAtClose{250};
constexpr int kPackingShare = 10;

// The longest wait for the lock when closing, with much to do and with little. The process that
// holds the lock will checkpoint later.
constexpr std::chrono::milliseconds kPatienceAtClose{500};
// Who only reads must not wait for writers.
constexpr std::chrono::milliseconds kPatienceToCache{50};
constexpr std::chrono::milliseconds kLittlePatienceAtClose{20};

std::string callers_key(std::string_view key) {
  return std::string(1, sqlite::kCallersPrefix).append(key);
}

}  // namespace

// A borrowed connection; returned to the idle ones on destruction.
class SqliteStore::Lease {
 public:
  Lease(const SqliteStore& store, std::unique_ptr<Connection> connection, bool is_writer)
      : store_(&store), connection_(std::move(connection)), is_writer_(is_writer) {}
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (connection_ == nullptr) return;
    const std::scoped_lock hold(store_->idle_mutex_);
    if (is_writer_) {
      store_->idle_.push_back(std::move(connection_));
    } else {
      store_->idle_.push_front(std::move(connection_));
    }
  }
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  const SqliteStore* store_;
  std::unique_ptr<Connection> connection_;
  bool is_writer_;
};

// The writer lock, a connection, and a transaction that is rolled back unless commit() is called.
class SqliteStore::WriteTurn {
 public:
  WriteTurn(SqliteStore& store, WriterLock::Hold hold, Lease lease, Sync sync)
      : store_(&store), hold_(std::move(hold)), lease_(std::move(lease)), sync_(sync) {}
  WriteTurn(WriteTurn&& other) noexcept
      : store_(other.store_),
        hold_(std::move(other.hold_)),
        lease_(std::move(other.lease_)),
        sync_(other.sync_),
        is_open_(std::exchange(other.is_open_, false)) {}
  WriteTurn& operator=(WriteTurn&&) = delete;
  ~WriteTurn() {
    // It can fail only if SQLite has rolled back already.
    if (is_open_) (void)lease_->run(Query::rollback);
  }

  Connection& connection() const { return *lease_; }

  Result<void> begin() {
    TRY(lease_->run(Query::begin_write));
    is_open_ = true;
    return {};
  }

  // `newest` is the transaction's operation, if it has one.
  Result<void> commit(const std::optional<sqlite::LogKeeper::Newest>& newest = {}) {
    auto done = lease_->run(Query::commit);
    if (!done) {
      (void)lease_->run(Query::rollback);  // Fails if SQLite has done so.
      store_->log_.failed(*lease_);
      is_open_ = false;
      return done;
    }
    is_open_ = false;
    store_->log_pages_ = lease_->log_pages();
    store_->log_.committed(*lease_, sync_, newest);
    return {};
  }

 private:
  SqliteStore* store_;
  WriterLock::Hold hold_;
  Lease lease_;  // Returned before the lock is released.
  Sync sync_;
  bool is_open_ = false;
};

SqliteStore::SqliteStore(sqlite::StoreFile file, Options options)
    : file_(std::move(file)),
      options_(std::move(options)),
      writers_(path() + "-lock", file_.permissions),
      log_(path(), file_.permissions, commit_sync()) {}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path, Options options) {
  auto file = TRY(sqlite::find_store_file(path));
  std::unique_ptr<SqliteStore> store(new SqliteStore(std::move(file), std::move(options)));
  const Lease first = TRY(store->borrow());
  if (store->options_.mode == Mode::read_write && first->is_read_only()) {
    return io_error(fmt::format("'{}' may not be written", path),
                    "look at the permissions of the file and of its folder");
  }
  TRY(sqlite::verify_format(*first, path));
  const auto cut = TRY(sqlite::find_log_cut(*first, store->path()));
  if (cut && !cut->is_permitted) {
    if (!store->options_.accepts_cut_log) return store->cut_off(cut->problem);
    store->is_cut_ = true;
  }
  store->is_usable_ = true;
  return store;
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::create(const std::string& path, Options options) {
  TRY(sqlite::create_store_file(path));
  return open(path, std::move(options));
}

SqliteStore::~SqliteStore() {
  if (!is_usable_ || is_cut_ || is_for_reading()) return;
  // Rows not packed now are packed later.
  const auto packing = packing_at_close();
  const bool packs = bytes_put_ >= kBytesPackedAtClose && packing.count() > 0;
  if (packs) {
    const auto end = std::chrono::steady_clock::now() + packing;
    const auto is_over = [end] { return std::chrono::steady_clock::now() > end; };
    (void)pack(is_over, {.patience = kPatienceAtClose});
  }
  empty_log_at_close(packs || log_pages_ >= kCheckpointPagesAtClose);
}

std::chrono::milliseconds SqliteStore::packing_at_close() const {
  if (options_.packing_at_close) return *options_.packing_at_close;
  const auto open = std::chrono::steady_clock::now() - opened_;
  const auto share = std::chrono::duration_cast<std::chrono::milliseconds>(open / kPackingShare);
  if (share < kShortestPackingAtClose) return {};
  return std::min(share, kLongestPackingAtClose);
}

// Several processes may close at the same time, and one of them must find that it is alone. So a
// process keeps no connection while it waits for its turn, and none when its turn ends.
void SqliteStore::empty_log_at_close(bool is_large) {
  const auto is_empty = sqlite::is_log_empty(path());
  if (!is_empty || is_empty.value() || empty_log_in_turn(is_large, {})) return;
  idle_.clear();
  (void)empty_log_in_turn(is_large, is_large ? kPatienceAtClose : kLittlePatienceAtClose);
}

// Empties the log under the writer lock. False if the lock was not granted in time.
bool SqliteStore::empty_log_in_turn(bool is_large, std::chrono::milliseconds patience) {
  const auto hold = writers_.take({.patience = patience});
  if (!hold) return false;
  if (const auto lease = borrow_to_write()) {
    idle_.clear();
    // A failure leaves the log unchanged: nothing is lost, and the next process tries again.
    if (is_large || sqlite::is_alone(**lease)) (void)log_.empty(**lease);
  }
  idle_.clear();
  return true;
}

Error SqliteStore::cut_off(std::string_view problem) const {
  return corrupt(fmt::format("the log of '{}' {}", path(), problem),
                 "'spoor store fsck' shows where; a copy may have the rest; 'spoor store rebuild' "
                 "keeps what is left");
}

Result<SqliteStore::Lease> SqliteStore::borrow() const {
  {
    const std::scoped_lock hold(idle_mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.front());
      idle_.pop_front();
      return Lease(*this, std::move(connection), false);
    }
  }
  const auto access = options_.mode == Mode::read_only ? Connection::Access::read_only
                                                       : Connection::Access::read_write;
  return Lease(*this, TRY(Connection::open(path(), access)), false);
}

Result<SqliteStore::Lease> SqliteStore::borrow_to_write() {
  {
    const std::scoped_lock hold(idle_mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(connection), true);
    }
  }
  return Lease(*this, TRY(Connection::open(path(), Connection::Access::read_write)), true);
}

Sync SqliteStore::commit_sync() const {
  return options_.durability == Durability::full ? Sync::full : Sync::normal;
}

Result<WriterLock::Hold> SqliteStore::take_turn(const Waiting& waiting) {
  if (refusal_) return *refusal_;
  if (options_.mode == Mode::read_write) return writers_.take(waiting);
  if (!sqlite::has_room(path())) return sqlite::no_room(path());
  if (sqlite::may_be_written(path())) {
    return io_error(fmt::format("'{}' was opened read-only", path()));
  }
  return io_error(fmt::format("'{}' may not be written", path()),
                  "look at the permissions of the file and of its folder");
}

Result<SqliteStore::WriteTurn> SqliteStore::begin_write(Sync sync) {
  return begin_write(sync, options_.waiting);
}

Result<SqliteStore::WriteTurn> SqliteStore::begin_write(Sync sync, const Waiting& waiting) {
  WriterLock::Hold hold = TRY(take_turn(waiting));
  TRY(sqlite::check_still_there(file_));
  if (is_cut_) return cut_off("lacks its end");
  Lease lease = TRY(borrow_to_write());
  WriteTurn turn(*this, std::move(hold), std::move(lease), sync);
  TRY(turn.connection().set_sync(sync));
  TRY(log_.begin(turn.connection(), sync));
  TRY(turn.begin());
  if (!turn.connection().is_as_left()) {
    epoch_.reset();
    are_refs_behind_ = true;
  }
  // Data written to a removed log would be lost.
  const std::uint64_t log = TRY(sqlite::inode_of_log(file_));
  if (log_inode_ == 0) log_inode_ = log;
  if (log != log_inode_) return sqlite::log_is_gone(path());
  return turn;
}

// Checkpoints if due, under the writer lock, after a commit. If readers prevent the copying, the
// next attempt is after the same number of new pages. A failure does not affect the commit: the log
// keeps the rest, and the next checkpoint tries again.
void SqliteStore::checkpoint_if_due(Connection& connection) {
  if (log_pages_ < checkpointed_) checkpointed_ = 0;  // The log was restarted.
  if (log_pages_ - checkpointed_ < kCheckpointPages) return;
  checkpointed_ = log_pages_;
  (void)log_.checkpoint(connection);
}

Result<std::vector<Oid>> SqliteStore::loose(std::uint64_t since) const {
  const Lease connection = TRY(borrow());
  return sqlite::loose(*connection, since);
}

Result<std::vector<std::optional<Object>>> SqliteStore::get(std::span<const Oid> oids) const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  std::vector<std::optional<Object>> found;
  found.reserve(oids.size());
  sqlite::Absence absence(*connection);
  sqlite::NearbyReader reader(*connection);
  for (const Oid& oid : oids) {
    found.push_back(TRY(reader.read(oid)));
    if (!found.back()) TRY(absence.confirm(oid));
  }
  return found;
}

Result<std::vector<bool>> SqliteStore::has(std::span<const Oid> oids) const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  std::vector<bool> found;
  found.reserve(oids.size());
  for (const Oid& oid : oids) {
    found.push_back(TRY(sqlite::handle_of(*connection, oid)).has_value());
  }
  return found;
}

Result<std::vector<Oid>> SqliteStore::find(std::string_view prefix, Kind kind,
                                           std::size_t limit) const {
  const auto lowest = lowest_oid_with(prefix);
  if (!lowest) return std::vector<Oid>();
  const Lease connection = TRY(borrow());
  return sqlite::find_names(*connection, *lowest, prefix, kind, limit);
}

Result<void> SqliteStore::run(const Oid& from, std::size_t count, std::size_t contents,
                              const RunVisitor& visit) const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  return sqlite::walk(*connection, from, count, contents, visit);
}

Result<void> SqliteStore::scan(const ScanVisitor& visit) const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  return sqlite::scan(*connection, visit);
}

Result<std::vector<Ref>> SqliteStore::refs(std::string_view prefix) const {
  const Lease connection = TRY(borrow());
  const std::scoped_lock hold(refs_mutex_);
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  TRY(refs_.catch_up(*connection));
  return refs_.log().refs_with_prefix(prefix);
}

Result<std::optional<Oid>> SqliteStore::ref(std::string_view name) const {
  const Lease connection = TRY(borrow());
  const std::scoped_lock hold(refs_mutex_);
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  TRY(refs_.catch_up(*connection));
  return refs_.log().ref(name);
}

namespace {

// Removes objects within a transaction. Returns the number of those that were stored.
Result<std::size_t> drop_objects(Connection& connection, std::span<const Oid> oids) {
  TRY(sqlite::index_carried(connection));
  std::size_t gone = 0;
  for (const Oid& oid : oids) {
    if (TRY(sqlite::drop_object(connection, oid))) ++gone;
  }
  if (gone == 0) return gone;
  TRY(sqlite::drop_cached(connection));
  TRY(sqlite::count_erasure(connection));
  // Until compact() has run, their bytes may remain in free pages, in dictionaries, in the log and
  // in files next to the store.
  TRY(sqlite::set_local_fact(connection, kUnfinishedErasure, "yes"));
  return gone;
}

using TakePart = std::function<Result<void>(std::span<const NewObject>)>;

// Passes on the parts of Transaction::more. They may be larger than memory, so their pages are
// written to the log as they come.
Result<void> each_part(Connection& connection, const Transaction& transaction,
                       const TakePart& take) {
  if (!transaction.more) return {};
  TRY(connection.execute("PRAGMA cache_spill=ON"));
  const auto pass_on = [&]() -> Result<void> {
    while (true) {
      const auto part = TRY(transaction.more());
      if (part.empty()) return {};
      TRY(take(part));
    }
  };
  auto done = pass_on();
  TRY(connection.execute("PRAGMA cache_spill=OFF"));
  return done;
}

Result<void> check_required(Connection& connection, std::span<const Oid> required) {
  for (const Oid& oid : required) {
    if (!TRY(sqlite::handle_of(connection, oid))) return not_stored(oid);
  }
  return {};
}

// Stores a transaction's objects. In a store of format 4, a small number of them arrive with the
// operation, in `column`.
Result<std::uint64_t> add_all(Connection& connection, const Transaction& transaction,
                              std::uint64_t operation, sqlite::NewNames& names,
                              std::string& column) {
  if (!transaction.more && transaction.objects.size() <= sqlite::kMostArrivals &&
      TRY(sqlite::takes_arrivals(connection))) {
    return sqlite::add_arrivals(connection, transaction.objects,
                                static_cast<std::int64_t>(operation), names, column);
  }
  std::uint64_t added = TRY(sqlite::add_objects(connection, transaction.objects, names));
  TRY(each_part(connection, transaction, [&](std::span<const NewObject> part) -> Result<void> {
    added += TRY(sqlite::add_objects(connection, part, names));
    return {};
  }));
  return added;
}

Result<void> forget_side_files(const std::string& path) {
  TRY(TextIndex::forget(text_index_path(path)));
  return CacheFile::forget(reply_cache_path(path));
}

}  // namespace

Result<bool> SqliteStore::is_in_epoch(Connection& connection, const Transaction& transaction) {
  if (!transaction.epoch) return true;
  if (!epoch_) epoch_ = TRY(sqlite::epoch(connection));
  return *transaction.epoch == *epoch_;
}

Result<void> SqliteStore::put_loose(Connection& connection, const Transaction& transaction) {
  sqlite::NewNames names(connection);
  const auto put = [&](std::span<const NewObject> part) -> Result<void> {
    bytes_put_ += TRY(sqlite::add_objects(connection, part, names));
    return sqlite::note_put(connection, part);
  };
  TRY(put(transaction.objects));
  TRY(each_part(connection, transaction, put));
  return names.index();
}

// Stores the objects and the operation of a change that moves refs.
Result<sqlite::LogKeeper::Newest> SqliteStore::log(Connection& connection,
                                                   const Transaction& transaction,
                                                   const RefLog::Next& next) {
  sqlite::NewNames names(connection);
  std::string arrivals;
  bytes_put_ += TRY(add_all(connection, transaction, refs_.next_number(), names, arrivals));
  const std::string carried = TRY(names.carry());
  const std::uint64_t number = TRY(refs_.write(connection, next, carried, arrivals));
  TRY(sqlite::operation_was_added(connection, static_cast<std::int64_t>(number), next.name));
  return sqlite::LogKeeper::Newest{number, next.name};
}

Result<Receipt> SqliteStore::commit(const Transaction& transaction) {
  const bool only_puts =
      transaction.refs.empty() && transaction.erase.empty() && transaction.properties.empty();
  WriteTurn turn = TRY(begin_write(only_puts ? Sync::normal : commit_sync()));
  Connection& connection = turn.connection();
  std::unique_lock hold(refs_mutex_);
  if (are_refs_behind_ || !refs_.is_loaded()) TRY(refs_.catch_up(connection));
  are_refs_behind_ = false;
  Receipt receipt;
  std::optional<RefLog::Next> next;
  if (!transaction.refs.empty()) {
    next = TRY(refs_.log().next(transaction));
    receipt.was_there = next->was_there;
    if (receipt.was_there) return receipt;
  }
  receipt.is_stale = !TRY(is_in_epoch(connection, transaction));
  if (receipt.is_stale) return receipt;
  TRY(check_required(connection, transaction.required));

  if (!transaction.erase.empty()) {
    receipt.erased = TRY(drop_objects(connection, transaction.erase));
  }
  TRY(sqlite::set_properties(connection, transaction.properties));
  if (receipt.erased > 0 || !transaction.properties.empty()) epoch_.reset();
  std::optional<sqlite::LogKeeper::Newest> newest;
  if (next) {
    newest = TRY(log(connection, transaction, *next));
    receipt.operation = next->name;
  } else {
    TRY(put_loose(connection, transaction));
  }
  hold.unlock();  // The disk may be slow; readers need not wait for it.
  TRY(turn.commit(newest));
  if (next) {
    hold.lock();
    refs_.committed(newest->number, *next);
    hold.unlock();
  }
  if (transaction.erase.empty() || (!next && receipt.erased == 0)) {
    checkpoint_if_due(connection);
  } else {
    TRY(log_.empty(connection));
    TRY(forget_side_files(path()));
  }
  return receipt;
}

Result<void> SqliteStore::exclusive(const std::function<Result<void>()>& body) {
  const WriterLock::Hold hold = TRY(take_turn(options_.waiting));
  return body();
}

Result<std::vector<LoggedOperation>> SqliteStore::operations(std::uint64_t after,
                                                             std::size_t limit) const {
  std::vector<LoggedOperation> found;
  constexpr auto kLast = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (limit == 0 || after >= kLast) return found;
  const Lease connection = TRY(borrow());
  Statement rows = TRY(connection->use(Query::operations_from));
  rows.bind(1, static_cast<std::int64_t>(after) + 1);
  while (found.size() < limit && TRY(connection->next(rows))) {
    found.push_back(TRY(sqlite::logged_operation(*connection, rows)));
  }
  return found;
}

Result<OperationNames> SqliteStore::folded_names() const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  return sqlite::folded_names(*connection);
}

Result<std::optional<LoggedOperation>> SqliteStore::newest_operation() const {
  const Lease connection = TRY(borrow());
  Statement rows = TRY(connection->use(Query::operations_down));
  rows.bind(1, std::numeric_limits<std::int64_t>::max());
  if (!TRY(connection->next(rows))) return std::optional<LoggedOperation>();
  return std::optional(TRY(sqlite::logged_operation(*connection, rows)));
}

Result<std::optional<LoggedOperation>> SqliteStore::operation_at(std::string_view ref,
                                                                 Timestamp time) const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  return sqlite::operation_at(*connection, ref, time);
}

Result<void> SqliteStore::sweep(const Sweep& sweep) {
  WriteTurn turn = TRY(begin_write(commit_sync()));
  sqlite::RefCache again;
  TRY(sqlite::sweep(turn.connection(), sweep, again));
  TRY(sqlite::count_erasure(turn.connection()));
  epoch_.reset();
  if (!sweep.objects.empty() && TRY(sqlite::has_dictionaries(turn.connection()))) {
    TRY(sqlite::set_local_fact(turn.connection(), sqlite::kStaleDictionaries, "yes"));
  }
  TRY(turn.commit());
  {
    const std::scoped_lock hold(refs_mutex_);
    refs_ = std::move(again);
  }
  // Everything is done by now, so what follows may fail, as on a full disk: a later checkpoint
  // empties the log, and the next user of the index empties it, since the count of erasures
  // differs.
  (void)log_.empty(turn.connection());
  if (!sweep.objects.empty()) (void)TextIndex::forget(text_index_path(path()));
  return {};
}

Result<Store::Packing> SqliteStore::pack(const std::function<bool()>& is_cancelled) {
  return pack(is_cancelled, options_.waiting);
}

Result<Store::Packing> SqliteStore::pack(const std::function<bool()>& is_cancelled,
                                         const Waiting& waiting) {
  Packing done;
  {
    WriteTurn turn = TRY(begin_write(Sync::normal, waiting));
    TRY(sqlite::NewNames(turn.connection()).settle());
    TRY(turn.commit());
  }
  TRY(pack_table(PackedTable::commits, is_cancelled, waiting, done));
  TRY(pack_table(PackedTable::objects, is_cancelled, waiting, done));
  return done;
}

Result<void> SqliteStore::pack_table(PackedTable table, const std::function<bool()>& is_cancelled,
                                     const Waiting& waiting, Packing& done) {
  const Lease reader = TRY(borrow());
  sqlite::Packer packer = TRY(sqlite::Packer::begin(*reader, table));
  if (packer.is_done() || is_cancelled()) return {};
  if (const auto dictionary = TRY(packer.train(*reader))) {
    WriteTurn turn = TRY(begin_write(commit_sync(), waiting));
    TRY(sqlite::allow_dictionaries(turn.connection()));
    if (!TRY(packer.is_current(turn.connection()))) return {};
    if (!TRY(sqlite::add_dictionary(turn.connection(), table, *dictionary))) return {};
    TRY(turn.commit());
  }
  while (!packer.is_done() && !is_cancelled()) {
    const auto rows = TRY(packer.next(*reader));
    if (rows.empty()) continue;
    // Work lost in a power failure is repeated later.
    WriteTurn turn = TRY(begin_write(Sync::normal, waiting));
    TRY(sqlite::allow_dictionaries(turn.connection()));
    // After an erasure the dictionary may be gone: try another time.
    if (!TRY(packer.is_current(turn.connection()))) return {};
    for (const auto& row : rows) {
      if (!TRY(sqlite::write_row(turn.connection(), table, row))) continue;
      ++done.rows;
      done.before += row.before;
      done.after += row.bytes.size();
    }
    TRY(turn.commit());
    checkpoint_if_due(turn.connection());
  }
  if (packer.has_new_mark()) {
    WriteTurn turn = TRY(begin_write(Sync::normal, waiting));
    if (!TRY(packer.is_current(turn.connection()))) return {};
    TRY(packer.mark(turn.connection()));
    TRY(turn.commit());
  }
  return {};
}

Result<void> SqliteStore::unpack_table(PackedTable table) {
  const Lease reader = TRY(borrow());
  Handle after = std::numeric_limits<Handle>::min();
  while (true) {
    std::vector<sqlite::PackedRow> rows;
    {
      const ReadTransaction reading = TRY(ReadTransaction::begin(*reader));
      rows = TRY(sqlite::next_unpacked(*reader, table, after));
    }
    if (rows.empty()) return {};
    WriteTurn turn = TRY(begin_write(Sync::normal));
    for (const auto& row : rows) TRY(sqlite::write_row(turn.connection(), table, row));
    TRY(turn.commit());
    checkpoint_if_due(turn.connection());
  }
}

// A dictionary may contain pieces of erased data. Therefore all rows compressed with one are
// compressed again, with one trained on the remaining data.
Result<void> SqliteStore::forget_dictionaries() {
  {
    const Lease reader = TRY(borrow());
    if (!TRY(sqlite::has_dictionaries(*reader))) return {};
  }
  constexpr std::array kTables = {PackedTable::commits, PackedTable::objects};
  for (const PackedTable table : kTables)
    TRY(unpack_table(table));  // Most rows, while others may write.
  {
    WriteTurn turn = TRY(begin_write(commit_sync()));
    Connection& connection = turn.connection();
    for (const PackedTable table : kTables) {  // Rows packed by others meanwhile; no other can now.
      Handle after = std::numeric_limits<Handle>::min();
      while (true) {
        const auto rows = TRY(sqlite::next_unpacked(connection, table, after));
        if (rows.empty()) break;
        for (const auto& row : rows) TRY(sqlite::write_row(connection, table, row));
      }
    }
    TRY(sqlite::empty_dictionaries(connection));
    TRY(sqlite::forget_marks(connection));
    epoch_.reset();
    TRY(sqlite::count_erasure(connection));  // Stops processes that pack with one of them.
    TRY(sqlite::set_local_fact(connection, sqlite::kStaleDictionaries, std::nullopt));
    TRY(turn.commit());
  }
  TRY(pack([] { return false; }));
  return {};
}

Result<bool> SqliteStore::upgrade() {
  WriteTurn turn = TRY(begin_write(commit_sync()));
  if (!TRY(sqlite::upgrade(turn.connection(), path()))) return false;
  TRY(turn.commit());
  TRY(log_.empty(turn.connection()));
  return true;
}

Result<std::uint64_t> SqliteStore::size() const {
  std::uint64_t bytes = 0;
  for (const std::string& file : {path(), path() + "-wal"}) {
    std::error_code problem;
    const auto size = std::filesystem::file_size(file, problem);
    if (!problem) bytes += size;
  }
  return bytes;
}

Result<void> SqliteStore::compact() {
  const bool is_erasing = TRY(local(kUnfinishedErasure)).has_value();
  if (is_erasing || TRY(local(sqlite::kStaleDictionaries))) TRY(forget_dictionaries());
  const WriterLock::Hold hold = TRY(take_turn(options_.waiting));
  const Lease connection = TRY(borrow_to_write());
  TRY(connection->set_sync(commit_sync()));
  TRY(log_.begin(*connection, commit_sync()));
  TRY(connection->execute("PRAGMA cache_spill=ON"));  // All pages are written, not only some.
  auto done = connection->execute("VACUUM");
  if (!done) {
    log_.failed(*connection);
    return done;
  }
  TRY(connection->execute("PRAGMA cache_spill=OFF"));
  TRY(log_.empty(*connection));
  if (!TRY(local(kUnfinishedErasure))) return {};
  TRY(forget_side_files(path()));
  if (!TRY(sqlite::is_log_empty(path()))) {
    return unavailable(
        "a reader prevents spoor from emptying the store's log, which contains erased texts",
        "stop the other programs that use the store, then try again");
  }
  return set_local(kUnfinishedErasure, std::nullopt);
}

Result<Properties> SqliteStore::properties(std::span<const std::string_view> keys) const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  return sqlite::properties(*connection, keys);
}

Result<std::optional<std::string>> SqliteStore::local(std::string_view key) const {
  const Lease connection = TRY(borrow());
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));  // Fact and seal.
  return sqlite::local_fact(*connection, key);
}

Result<void> SqliteStore::set_local(std::string_view key, const std::optional<std::string>& value) {
  WriteTurn turn = TRY(begin_write(commit_sync()));
  TRY(sqlite::set_local_fact(turn.connection(), key, value));
  TRY(turn.commit());
  checkpoint_if_due(turn.connection());
  return {};
}

Result<std::optional<std::string>> SqliteStore::cached(std::string_view key) const {
  const Lease connection = TRY(borrow());
  return sqlite::derived(*connection, callers_key(key));
}

Result<void> SqliteStore::put_cached(std::string_view key, std::string_view value) {
  if (is_for_reading()) return {};
  WriteTurn turn = TRY(begin_write(Sync::normal, {.patience = kPatienceToCache}));
  Connection& connection = turn.connection();
  TRY(sqlite::set_derived(connection, callers_key(key), value));
  TRY(turn.commit());
  checkpoint_if_due(connection);
  return {};
}

Result<std::unique_ptr<SearchIndex>> SqliteStore::search_index() const {
  auto index = TextIndex::open(text_index_path(path()), file_.permissions | 0600U);
  if (!index && index.error().code == Error::Code::io) return Store::search_index();
  return std::unique_ptr<SearchIndex>(TRY(std::move(index)));
}

Result<std::vector<Store::Finding>> SqliteStore::check() const {
  const Lease connection = TRY(borrow());
  std::vector<Finding> findings = TRY(sqlite::check_log(*connection, path()));
  const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
  for (Finding& each : TRY(sqlite::audit(*connection))) findings.push_back(std::move(each));
  return findings;
}

Result<void> SqliteStore::rebuild() {
  const WriterLock::Hold hold = TRY(take_turn(options_.waiting));
  const bool was_cut = is_cut_.exchange(false);
  auto done = rebuild_all();
  if (!done) is_cut_ = was_cut;
  return done;
}

Result<void> SqliteStore::rebuild_all() {
  std::vector<sqlite::Salvaged> arrived;
  {
    const Lease connection = TRY(borrow());
    const ReadTransaction reading = TRY(ReadTransaction::begin(*connection));
    arrived = TRY(sqlite::salvage_arrivals(*connection));
  }
  WriteTurn turn = TRY(begin_write(commit_sync()));
  sqlite::RefCache again;
  TRY(sqlite::rebuild(turn.connection(), arrived, again));
  TRY(turn.commit());
  {
    const std::scoped_lock hold(refs_mutex_);
    refs_ = std::move(again);
  }
  checkpoint_if_due(turn.connection());
  if (TextIndex::forget(text_index_path(path()))) return {};
  TRY(log_.begin(turn.connection(), commit_sync()));
  epoch_.reset();
  TRY(turn.begin());  // The next user of the index empties it, as after gc.
  TRY(sqlite::count_erasure(turn.connection()));
  return turn.commit();
}

}  // namespace spoor::store
