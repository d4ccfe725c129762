#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/postgres/address.h"
#include "store/postgres/connection.h"
#include "store/postgres/patience.h"
#include "store/postgres/seals.h"
#include "store/ref_log.h"
#include "store/store.h"

namespace spoor::store {

/// A store in a PostgreSQL database, which many programs on many machines write. Several stores may
/// be in one database; all are in the schema `spoor`.
///
/// Each ref has a chain of operations of its own (Store::has_lanes), so writers of different refs
/// do not wait for each other. An append on a ref that this store moved or read last is one round
/// trip. A connection that is lost is made again, to any host of the address that takes writes, and
/// what was under way is done once; calls wait for that (Options::patience).
class PostgresStore final : public Store {
 public:
  struct Options {
    /// Whose HEAD and other local facts: a user, and where.
    std::string workspace = "main";
    /// The file of this machine with the index of words; empty: search_index() has it in memory.
    std::string index_file;
    postgres::Patience patience;
  };

  /// Opens a store by its address (postgres/address.h). Code::not_found if it is not there, and the
  /// errors of Connection::open().
  static Result<std::unique_ptr<PostgresStore>> open(const std::string& address, Options options);

  /// Makes an empty store, and the tables if the database has none. Does not wait for a server.
  /// Code::conflict if it is there. `keys`: if not empty, the address of the keys that are made for
  /// it, with which all objects but commits are sealed (postgres/seals.h); KeyDatabase::create()
  /// has their errors.
  static Result<std::unique_ptr<PostgresStore>> create(const std::string& address, Options options,
                                                       const std::string& keys = {});

  /// Removes a store, all that is in it, and its keys. Nothing happens if it is not there.
  static Result<void> remove(const std::string& address);

  ~PostgresStore() override;

  /// How often this store waited for the server, over the connection that it has now.
  std::uint64_t round_trips() const;

  bool has_lanes() const override { return true; }
  Result<std::vector<Oid>> loose(std::uint64_t since) const override;
  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override;
  Result<std::vector<bool>> has(std::span<const Oid> oids) const override;
  Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                std::size_t limit) const override;
  Result<void> run(const Oid& from, std::size_t count, std::size_t contents,
                   const RunVisitor& visit) const override;
  Result<void> follow(const Oid& from, std::uint64_t steps, const RunVisitor& visit) const override;
  Result<void> scan(const ScanVisitor& visit) const override;
  Result<std::vector<Ref>> refs(std::string_view prefix) const override;
  Result<std::optional<Oid>> ref(std::string_view name) const override;
  Result<Receipt> commit(const Transaction& transaction) override;
  /// Waits for the lock for a minute at most: Code::unavailable.
  Result<void> exclusive(const std::function<Result<void>()>& body) override;
  Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                  std::size_t limit) const override;
  Result<std::optional<LoggedOperation>> newest_operation() const override;
  Result<std::optional<LoggedOperation>> operation_at(std::string_view ref,
                                                      Timestamp time) const override;
  Result<OperationNames> folded_names() const override;
  Result<void> sweep(const Sweep& sweep) override;
  Result<void> compact() override;
  /// Adds who may do what to tables of version 1, for all stores of the database. For their owner.
  Result<bool> upgrade() override;
  /// Returns the bytes of the bodies of objects and operations, as the server keeps them.
  Result<std::uint64_t> size() const override;
  Result<Properties> properties(std::span<const std::string_view> keys) const override;
  Result<std::optional<std::string>> local(std::string_view key) const override;
  Result<void> set_local(std::string_view key, const std::optional<std::string>& value) override;
  Result<std::unique_ptr<SearchIndex>> search_index() const override;
  Result<std::optional<std::string>> cached(std::string_view key) const override;
  Result<void> put_cached(std::string_view key, std::string_view value) override;
  Result<std::vector<Finding>> check() const override;
  Result<void> rebuild() override;

 private:
  using Connection = postgres::Connection;
  using Rows = postgres::Rows;
  using Statement = postgres::Statement;

  /// The end of a ref's chain of operations.
  struct Tip {
    std::int64_t number = 0;  // 0: the ref never was.
    std::optional<Oid> target;
    std::optional<Oid> operation;
    Timestamp time;
  };
  struct Attempt;
  /// A commit whose columns are not what its bytes say, and what they say.
  struct Misplaced {
    Oid oid;
    std::optional<Oid> parent;
    std::optional<Oid> content;
  };
  struct Chain;
  using Chains = std::map<std::string, Chain>;

  PostgresStore(postgres::Address address, Options options)
      : address_(std::move(address)),
        options_(std::move(options)),
        patience_(postgres::once_noticed(options_.patience, is_noticed_)) {}

  Result<void> connect() const;
  void drop_connection() const;
  Result<void> reach() const;
  template <class Body>
  auto ask(const Body& body) const -> decltype(body(std::declval<Connection&>()));
  Result<std::vector<Rows>> ask_all(const std::vector<Statement>& statements) const;
  Result<Rows> ask_one(const Statement& statement) const;
  Result<void> forget_words() const;
  Result<Rows> ask_log(const Statement& statement) const;

  /// How an object that is sealed and was changed is read.
  enum class Unopened { fails, is_absent };
  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids,
                                                 Unopened unopened) const;
  Result<void> learn(std::span<const postgres::StoredRow> rows) const;
  Result<Object> object_of(const postgres::StoredRow& row) const;
  Result<std::optional<Object>> readable(const postgres::StoredRow& row, Unopened unopened) const;
  Result<void> find_unopened(std::vector<Finding>& findings) const;
  Result<void> renew_seals(Connection& connection) const;
  Result<void> destroy_keys();
  Result<bool> visit_run(const Rows& rows, std::size_t& contents, const RunVisitor& visit) const;
  Result<void> each_page(const char* objects,
                         const std::function<Result<void>(const Rows&)>& visit) const;
  Result<std::vector<Misplaced>> misplaced() const;
  Result<Chains> replayed() const;
  Result<Chains> stored_chains() const;
  static bool is_chain(const Chain& stored, const Chain& logged);

  Tip tip_of(std::string_view name) const;
  void remember(std::string name, const Tip& tip) const;
  Result<void> read_tips(Connection& connection, const std::vector<RefMove>& moves) const;
  Result<std::optional<Receipt>> settled(Connection& connection, const Attempt& attempt,
                                         std::vector<Statement> first = {}) const;
  Result<Receipt> commit_once(Connection& connection, const Transaction& transaction,
                              Attempt& attempt) const;
  std::vector<Statement> if_restricted(const char* condition) const;
  std::vector<std::int64_t> numbers_of(const std::vector<RefMove>& moves) const;
  Result<Receipt> write(Connection& connection, const Transaction& transaction,
                        Attempt& attempt) const;

  Statement about(const char* text) const { return std::move(Statement(text).add(store_)); }

  const postgres::Address address_;
  const Options options_;
  mutable bool is_noticed_ = false;     // The wait of the call that asks is. Guarded by mutex_.
  const postgres::Patience patience_;   // Sets it.
  mutable std::recursive_mutex mutex_;  // Held by exclusive(). Guards what follows.
  mutable std::unique_ptr<Connection> connection_;
  mutable std::int64_t store_ = 0;                  // The number of the store in the tables.
  mutable std::unique_ptr<postgres::Seals> seals_;  // Set before open() returns, if it is sealed.
  mutable bool numbers_log_ = false;    // This user may, and the server is not a standby.
  mutable bool is_restricted_ = false;  // Row-level security applies to this user.
  mutable std::unordered_map<std::string, Tip> tips_;
  int depth_ = 0;                             // How deep exclusive() is nested.
  mutable bool holds_lock_ = false;           // Of exclusive(): connection_ does.
  mutable std::optional<Error> refused_for_;  // A call was refused, as that lock was lost.
};

}  // namespace spoor::store
