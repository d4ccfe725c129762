#include "store/postgres/postgres_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "store/oid_prefix.h"
#include "store/postgres/address.h"
#include "store/postgres/change.h"
#include "store/postgres/creation.h"
#include "store/postgres/locks.h"
#include "store/postgres/roles.h"
#include "store/postgres/schema.h"
#include "store/postgres/stored_rows.h"
#include "store/ref_log.h"
#include "store/sqlite/text_index.h"

namespace spoor::store {
namespace {

using postgres::Connection;
using postgres::kAdmin;
using postgres::kAlone;
using postgres::kAppender;
using postgres::kLock;
using postgres::kRebuild;
using postgres::kUnlock;
using postgres::not_spoors;
using postgres::oid_at;
using postgres::row_at;
using postgres::Rows;
using postgres::Statement;
using postgres::StoredRow;

constexpr auto kGet = R"(
  SELECT o.* FROM unnest($2) q(oid) CROSS JOIN LATERAL (
    SELECT oid, kind, body FROM spoor.objects WHERE store = $1 AND oid = q.oid LIMIT 1) o)";
// With the first byte of a sealed object's body, which is the edition of its key.
constexpr auto kHas = R"(
  SELECT o.* FROM unnest($2) q(oid) CROSS JOIN LATERAL (
    SELECT oid, kind, CASE WHEN kind >= 256 THEN substring(body FROM 1 FOR 1) ELSE '' END
    FROM spoor.objects WHERE store = $1 AND oid = q.oid LIMIT 1) o)";
// A ref with the bytes of its last operation, if gc has not folded it; those of a very large one
// are left out.
constexpr auto kTips = R"(
  SELECT r.*, o.body FROM unnest($2) q(name) CROSS JOIN LATERAL (
    SELECT name, number, target, operation, at FROM spoor.refs
    WHERE store = $1 AND name = q.name LIMIT 1) r
  LEFT JOIN LATERAL (
    SELECT body FROM spoor.operations
    WHERE store = $1 AND name = r.operation AND octet_length(body) <= 65536 LIMIT 1) o ON true)";
constexpr auto kRefs = R"(
  SELECT name, target, operation FROM spoor.refs
  WHERE store = $1 AND name >= $2 AND substring(name FROM 1 FOR length($2)) = $2
    AND target IS NOT NULL ORDER BY name)";
// Their last operations, each once.
constexpr auto kLastOperations = R"(
  SELECT o.* FROM (
    SELECT DISTINCT operation FROM spoor.refs
    WHERE store = $1 AND name >= $2 AND substring(name FROM 1 FOR length($2)) = $2
      AND target IS NOT NULL) q
  CROSS JOIN LATERAL (
    SELECT name, body FROM spoor.operations WHERE store = $1 AND name = q.operation LIMIT 1) o)";

// Whether this user may number the log and the server is not a standby; and whether the rights on
// the tables are not all that decides what this user may do (roles.h).
constexpr auto kRights =
    "SELECT (has_column_privilege(to_regclass('spoor.operations'), 'number', 'UPDATE') AND NOT "
    "pg_is_in_recovery())::int4, row_security_active(to_regclass('spoor.objects'))::int4";

constexpr std::string_view kDouble = "23505";  // A row is there already (its SQLSTATE).

// The error for a ref whose rows in `refs` and `moves` do not belong together.
Error damaged(const std::string& ref) {
  return corrupt(fmt::format("the tables in the database disagree about '{}'", ref), kRebuild);
}

// Where operations, which are the last of some refs, moved them.
class LastMoves {
 public:
  // Code::corrupt if the bytes are not those of an operation of this name.
  Result<void> add(const std::optional<Oid>& name, std::string_view body) {
    if (operation_name(body) != name) {
      return corrupt("the stored bytes of an operation do not match its name",
                     "run 'spoor store fsck'");
    }
    auto operation = TRY(parse_operation(body));
    auto& moves = moves_[*name];
    for (RefMove& move : operation.refs) moves.insert_or_assign(std::move(move.name), move.after);
    return {};
  }

  // Code::corrupt if a ref is not there. Nothing is known of operations that were not added.
  Result<void> check(const std::string& ref, const std::optional<Oid>& target,
                     const std::optional<Oid>& operation) const {
    const auto known = operation ? moves_.find(*operation) : moves_.end();
    if (known == moves_.end()) return {};
    const auto move = known->second.find(ref);
    if (move != known->second.end() && move->second == target) return {};
    return damaged(ref);
  }

 private:
  std::unordered_map<Oid, std::unordered_map<std::string, std::optional<Oid>>> moves_;
};

// A store, with what its seals depend on.
constexpr auto kFindStore = R"(
  SELECT s.id, s.erasures, k.value, p.value FROM spoor.stores s
  LEFT JOIN spoor.properties k ON k.store = s.id AND k.key = 'keys'
  LEFT JOIN spoor.properties p ON p.store = s.id AND p.key = 'erasure.unfinished'
  WHERE s.name = $1)";

std::optional<Kind> kind_of(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(kKinds.size())) return std::nullopt;
  return kKinds.at(static_cast<std::size_t>(number));
}

}  // namespace

struct PostgresStore::Attempt {
  std::optional<RefLog::Next> next;
  std::optional<Oid> unanswered;  // This operation may be done: the answer was lost.
  bool is_spent = false;          // Transaction::more was called, which cannot be begun again.
  std::string refused;            // The condition that did not hold (postgres/schema.h), or empty.
};

Result<std::unique_ptr<PostgresStore>> PostgresStore::open(const std::string& address,
                                                           Options options) {
  postgres::Address parsed = TRY(postgres::parse_address(address));
  std::unique_ptr<PostgresStore> store(new PostgresStore(std::move(parsed), std::move(options)));
  TRY(store->reach());
  return store;
}

Result<std::unique_ptr<PostgresStore>> PostgresStore::create(const std::string& address,
                                                             Options options,
                                                             const std::string& keys) {
  const postgres::Address parsed = TRY(postgres::parse_address(address));
  const auto connection = TRY(Connection::open(parsed.server, options.patience));
  TRY(connection->run(Statement("SELECT")));  // Making the tables may take longer.
  TRY(postgres::create_tables(*connection));
  TRY(keys.empty() ? postgres::make_store(*connection, parsed.store)
                   : postgres::make_sealed(*connection, parsed.store, keys, options.patience));
  return open(address, std::move(options));
}

Result<void> PostgresStore::remove(const std::string& address) {
  const auto opened = open(address, {});
  if (!opened && opened.error().code == Error::Code::not_found) return {};
  if (!opened) return opened.error();
  const PostgresStore& store = **opened;
  if (store.seals_ != nullptr) TRY(store.seals_->remove());
  std::vector<Statement> steps = {store.about(kAlone)};
  for (const auto* step :
       {"DELETE FROM spoor.objects WHERE store = $1",
        "DELETE FROM spoor.operations WHERE store = $1", "DELETE FROM spoor.refs WHERE store = $1",
        "DELETE FROM spoor.moves WHERE store = $1", "DELETE FROM spoor.folded WHERE store = $1",
        "DELETE FROM spoor.loose WHERE store = $1", "DELETE FROM spoor.properties WHERE store = $1",
        "DELETE FROM spoor.locals WHERE store = $1", "DELETE FROM spoor.cached WHERE store = $1",
        "DELETE FROM spoor.stores WHERE id = $1"}) {
    steps.push_back(store.about(step));
  }
  TRY(store.ask_all(steps));
  return {};
}

PostgresStore::~PostgresStore() = default;

std::uint64_t PostgresStore::round_trips() const {
  const std::scoped_lock hold(mutex_);
  return connection_ == nullptr ? 0 : connection_->round_trips();
}

// One round trip, after those of the protocol itself.
Result<void> PostgresStore::connect() const {
  if (connection_ != nullptr && connection_->is_lost()) drop_connection();
  if (depth_ > 0 && !holds_lock_) {
    refused_for_ = conflict("the connection was lost, and with it the lock of the store",
                            "others may have written meanwhile; try again");
    return *refused_for_;
  }
  if (connection_ != nullptr) return {};
  auto connection = TRY(Connection::open(address_.server, patience_));
  Statement find(kFindStore);
  const auto found = TRY(connection->run(
      {postgres::kVersion, Statement(kRights), find.add(std::string_view(address_.store))}));
  TRY(postgres::check_version(found[0]));
  if (found[2].size() == 0) {
    const bool is_all = found[1].number(0, 1) == 0;
    return not_found(fmt::format("the database has no store '{}'{}", address_.store,
                                 is_all ? "" : " that this role may read"),
                     is_all
                         ? "make it with 'spoor init ADDRESS'"
                         : "ask the database's owner: SELECT spoor.allow(STORE, ROLE, 'reader')");
  }
  numbers_log_ = found[1].number(0, 0) == 1;
  is_restricted_ = found[1].number(0, 1) == 1;
  store_ = found[2].number(0, 0);
  if (seals_ == nullptr && !found[2].is_null(0, 2)) {
    seals_ = std::make_unique<postgres::Seals>(
        TRY(postgres::parse_address(std::string(found[2].bytes(0, 2)))), options_.patience);
    seals_->renew(found[2].number(0, 1), postgres::parse_pending(found[2].bytes(0, 3)));
  }
  connection_ = std::move(connection);
  return {};
}

void PostgresStore::drop_connection() const {
  connection_.reset();
  tips_.clear();
  holds_lock_ = false;
}

// Runs `body`, again if the server went away or asks for it, and until it succeeds or patience
// ends.
template <class Body>
auto PostgresStore::ask(const Body& body) const -> decltype(body(std::declval<Connection&>())) {
  using Remedy = Connection::Remedy;
  const std::scoped_lock hold(mutex_);
  std::optional<postgres::Wait> wait;
  is_noticed_ = false;
  while (true) {
    std::optional<Error> problem;
    Remedy remedy = Remedy::reconnect;
    auto begin = postgres::Wait::Clock::now();
    if (auto ready = connect(); !ready) {
      problem = ready.error();
      if (problem->code != Error::Code::unavailable) return *problem;
    } else {
      auto done = body(*connection_);
      if (done) return done;
      problem = done.error();
      if (connection_ != nullptr) remedy = connection_->remedy();
      if (remedy == Remedy::none || problem->code == Error::Code::interrupted) return *problem;
      begin = postgres::Wait::Clock::now();
    }
    if (remedy == Remedy::reconnect) drop_connection();
    if (!wait) wait.emplace(patience_, begin);
    TRY(wait->pause(*problem));
  }
}

// Waits until there is a connection.
Result<void> PostgresStore::reach() const {
  return ask([](Connection&) { return Result<void>(); });
}

Result<std::vector<Rows>> PostgresStore::ask_all(const std::vector<Statement>& statements) const {
  return ask([&](Connection& connection) { return connection.run(statements); });
}

Result<Rows> PostgresStore::ask_one(const Statement& statement) const {
  return std::move(TRY(ask_all({statement})).back());
}

Result<std::vector<Oid>> PostgresStore::loose(std::uint64_t since) const {
  const Rows rows =
      TRY(ask_one(about("SELECT oid FROM spoor.loose WHERE store = $1 AND since >= $2")
                      .add(static_cast<std::int64_t>(since))));
  std::vector<Oid> found;
  for (std::size_t i = 0; i < rows.size(); ++i) found.push_back(TRY(oid_at(rows, i, 0)));
  return found;
}

Result<std::vector<std::optional<Object>>> PostgresStore::get(std::span<const Oid> oids) const {
  return get(oids, Unopened::fails);
}

Result<std::vector<std::optional<Object>>> PostgresStore::get(std::span<const Oid> oids,
                                                              Unopened unopened) const {
  std::vector<std::optional<Object>> found(oids.size());
  if (oids.empty()) return found;
  const Rows rows = TRY(ask_one(about(kGet).add(oids)));
  std::vector<StoredRow> stored;
  std::unordered_map<Oid, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.emplace(stored.emplace_back(TRY(row_at(rows, i, 0, 1))).oid, i);
  }
  TRY(learn(stored));
  for (std::size_t i = 0; i < oids.size(); ++i) {
    const auto place = places.find(oids[i]);
    if (place == places.end()) continue;
    found[i] = TRY(readable(stored[place->second], unopened));
  }
  return found;
}

// Gets the keys of rows, as few at a time would need more round trips.
Result<void> PostgresStore::learn(std::span<const StoredRow> rows) const {
  return seals_ == nullptr ? Result<void>() : seals_->learn(rows);
}

Result<Object> PostgresStore::object_of(const StoredRow& row) const {
  if (seals_ != nullptr && row.kind >= postgres::kSealedBit) return seals_->open(row);
  const auto kind = kind_of(row.kind);
  if (!kind) return not_spoors("the kind of an object");
  return Object{*kind, std::string(row.body)};
}

// Returns nullopt for an erased object whose row comes from a copy; and, if asked to, for a sealed
// one that was changed.
Result<std::optional<Object>> PostgresStore::readable(const StoredRow& row,
                                                      Unopened unopened) const {
  auto object = object_of(row);
  if (object) return std::optional(std::move(*object));
  const Error::Code code = object.error().code;
  const bool is_sealed = seals_ != nullptr && row.kind >= postgres::kSealedBit;
  const bool is_absent = code == Error::Code::not_found ||
                         (unopened == Unopened::is_absent && code == Error::Code::corrupt);
  if (!is_sealed || !is_absent) return object.error();
  return std::optional<Object>();
}

// A key that the last erasures destroy is not used any more to seal.
Result<void> PostgresStore::renew_seals(Connection& connection) const {
  Statement find(kFindStore);
  const Rows found = TRY(connection.run(find.add(std::string_view(address_.store))));
  if (found.size() == 0) return not_found("the store was removed from the database");
  seals_->renew(found.number(0, 1), postgres::parse_pending(found.bytes(0, 3)));
  return {};
}

Result<std::vector<bool>> PostgresStore::has(std::span<const Oid> oids) const {
  if (oids.empty()) return std::vector<bool>();
  const Rows rows = TRY(ask_one(about(kHas).add(oids)));
  std::vector<StoredRow> given;
  for (std::size_t i = 0; i < rows.size(); ++i) given.push_back(TRY(row_at(rows, i, 0, 1)));
  TRY(learn(given));
  std::set<Oid> stored;
  for (const StoredRow& row : given) {
    if (seals_ == nullptr || seals_->has_key(row)) stored.insert(row.oid);
  }
  std::vector<bool> found;
  for (const Oid& oid : oids) found.push_back(stored.contains(oid));
  return found;
}

Result<std::vector<Oid>> PostgresStore::find(std::string_view prefix, Kind kind,
                                             std::size_t limit) const {
  std::vector<Oid> found;
  const auto first = lowest_oid_with(prefix);
  if (!first) return found;
  std::string last(prefix);
  last.resize(2 * sizeof(Oid), 'f');
  const Rows rows =
      TRY(ask_one(about("SELECT oid FROM spoor.objects WHERE store = $1 AND oid BETWEEN $2 AND $3 "
                        "AND kind & 255 = $4 ORDER BY oid LIMIT $5")
                      .add(*first)
                      .add(Oid::from_hex(last))
                      .add(static_cast<std::int64_t>(kind))
                      .add(static_cast<std::int64_t>(limit))));
  for (std::size_t i = 0; i < rows.size(); ++i) found.push_back(TRY(oid_at(rows, i, 0)));
  return found;
}

Result<void> PostgresStore::scan(const ScanVisitor& visit) const {
  constexpr std::int64_t kMany = 500;
  std::string after;
  std::optional<Error> problem;
  while (true) {
    const Rows rows = TRY(ask_one(about("SELECT oid, kind, body FROM spoor.objects "
                                        "WHERE store = $1 AND oid > $2 ORDER BY oid LIMIT $3")
                                      .add(std::string_view(after))
                                      .add(kMany)));
    std::vector<StoredRow> stored;
    for (std::size_t i = 0; i < rows.size(); ++i) stored.push_back(TRY(row_at(rows, i, 0, 1)));
    TRY(learn(stored));
    for (const StoredRow& row : stored) {
      auto object = object_of(row);
      after = row.oid.view();
      if (object && !visit({row.oid, std::move(*object)})) return {};
      if (object || object.error().code == Error::Code::not_found) continue;
      if (object.error().code != Error::Code::corrupt) return object.error();
      problem = object.error();
    }
    if (rows.size() == static_cast<std::size_t>(kMany)) continue;
    return problem ? Result<void>(*problem) : Result<void>();
  }
}

Result<std::vector<Ref>> PostgresStore::refs(std::string_view prefix) const {
  const auto answers = TRY(ask_all({about(kRefs).add(prefix), about(kLastOperations).add(prefix)}));
  LastMoves moves;
  const Rows& operations = answers[1];
  for (std::size_t i = 0; i < operations.size(); ++i) {
    TRY(moves.add(operations.oid(i, 0), operations.bytes(i, 1)));
  }
  const Rows& rows = answers[0];
  std::vector<Ref> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    found.push_back({std::string(rows.bytes(i, 0)), TRY(oid_at(rows, i, 1))});
    TRY(moves.check(found.back().name, found.back().target, rows.oid(i, 2)));
  }
  return found;
}

Result<std::optional<Oid>> PostgresStore::ref(std::string_view name) const {
  const std::scoped_lock hold(mutex_);
  TRY(ask([&](Connection& connection) {
    return read_tips(connection, {RefMove{std::string(name), {}, {}}});
  }));
  return tip_of(name).target;
}

PostgresStore::Tip PostgresStore::tip_of(std::string_view name) const {
  const auto found = tips_.find(std::string(name));
  return found == tips_.end() ? Tip() : found->second;
}

void PostgresStore::remember(std::string name, const Tip& tip) const {
  constexpr std::size_t kMost = 100'000;
  if (tips_.size() >= kMost) tips_.clear();
  tips_.insert_or_assign(std::move(name), tip);
}

Result<void> PostgresStore::read_tips(Connection& connection,
                                      const std::vector<RefMove>& moves) const {
  std::vector<std::string_view> names;
  names.reserve(moves.size());
  for (const RefMove& move : moves) names.emplace_back(move.name);
  const Rows rows = TRY(connection.run(about(kTips).add(names)));
  for (const RefMove& move : moves) remember(move.name, Tip());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string name(rows.bytes(i, 0));
    LastMoves last;
    if (!rows.is_null(i, 5)) TRY(last.add(rows.oid(i, 3), rows.bytes(i, 5)));
    TRY(last.check(name, rows.oid(i, 2), rows.oid(i, 3)));
    remember(std::move(name),
             Tip{rows.number(i, 1), rows.oid(i, 2), rows.oid(i, 3), Timestamp{rows.number(i, 4)}});
  }
  return {};
}

Result<Receipt> PostgresStore::commit(const Transaction& transaction) {
  const std::scoped_lock hold(mutex_);
  Attempt attempt;
  auto done =
      ask([&](Connection& connection) { return commit_once(connection, transaction, attempt); });
  if (done && !transaction.erase.empty()) TRY(forget_words());
  if (done || !attempt.unanswered) return done;
  if (depth_ > 0) {
    // The lock went with the connection. Who has it next sees whether the change was made.
    const int depth = std::exchange(depth_, 0);
    const auto found =
        ask([&](Connection& connection) { return settled(connection, attempt, {about(kAlone)}); });
    depth_ = depth;
    if (found && *found) refused_for_.reset();
    if (found) return *found ? Result<Receipt>(**found) : done;
  }
  Error error = std::move(done).error();
  error.hint =
      "it is not known whether the change was made: see 'spoor oplog' before you repeat it";
  return error;
}

// Returns the receipt of a change whose answer was lost, if it was made when `first` had been run.
// A server whose session ended while it waited for its standbys shows a change that they may not
// have. Something written after it is answered when they have both.
Result<std::optional<Receipt>> PostgresStore::settled(Connection& connection,
                                                      const Attempt& attempt,
                                                      std::vector<Statement> first) const {
  if (!attempt.unanswered) return std::optional<Receipt>();
  first.push_back(about("SELECT FROM spoor.operations WHERE store = $1 AND name = $2")
                      .add(*attempt.unanswered));
  const auto answers = TRY(connection.run(first));
  if (answers.back().size() == 0) return std::optional<Receipt>();
  TRY(connection.run(Statement("SELECT pg_logical_emit_message(true, 'spoor', '')")));
  return std::optional(Receipt{.operation = *attempt.unanswered});
}

Result<Receipt> PostgresStore::commit_once(Connection& connection, const Transaction& transaction,
                                           Attempt& attempt) const {
  if (const auto receipt = TRY(settled(connection, attempt))) return *receipt;
  if (attempt.is_spent) return unavailable("a large change was interrupted", "try again");
  if (transaction.refs.empty()) return write(connection, transaction, attempt);

  // A change in parts can be sent once only, so not by tips that may be old.
  bool is_known =
      !transaction.more && std::ranges::all_of(transaction.refs, [&](const RefMove& move) {
        return tips_.contains(move.name);
      });
  bool is_fresh = false;
  while (true) {
    if (!is_known) {
      TRY(read_tips(connection, transaction.refs));
      is_fresh = is_known = true;
    }
    Timestamp not_before;
    for (const RefMove& move : transaction.refs) {
      not_before = std::max(not_before, tip_of(move.name).time);
    }
    const auto target = [&](std::string_view name) { return tip_of(name).target; };
    auto next = RefLog::next(transaction, target, tip_of(transaction.refs.front().name).operation,
                             not_before);
    const bool is_refused = !next && next.error().code == Error::Code::conflict;
    is_known = is_fresh || (!is_refused && !(next && next->was_there));
    if (!is_known) continue;  // Another writer may have moved them.
    if (is_refused || (next && next->was_there)) {
      // The server may have worked on it still when it was looked for first.
      if (const auto receipt = TRY(settled(connection, attempt))) return *receipt;
    }
    if (!next) return next.error();
    if (next->was_there) {
      return Receipt{.operation = {}, .was_there = true};
    }
    if (attempt.is_spent) return unavailable("a large change was interrupted", "try again");
    attempt.next = std::move(*next);
    auto done = write(connection, transaction, attempt);
    if (done && !done->is_stale) {
      for (const RefMove& move : transaction.refs) {
        remember(move.name, Tip{tip_of(move.name).number + 1, move.after, attempt.next->name,
                                attempt.next->operation.time});
      }
    }
    if (attempt.refused == kDouble) return damaged(transaction.refs.front().name);
    if (done || attempt.refused != postgres::kMoved) return done;
    // A ref was elsewhere, so its number is another now.
    std::vector<std::int64_t> before = numbers_of(transaction.refs);
    TRY(read_tips(connection, transaction.refs));
    if (numbers_of(transaction.refs) == before) {
      if (is_restricted_) TRY(connection.run(about(kAppender)));
      return damaged(transaction.refs.front().name);
    }
    is_known = is_fresh = true;
  }
}

std::vector<postgres::Statement> PostgresStore::if_restricted(const char* condition) const {
  return is_restricted_ ? std::vector{about(condition)} : std::vector<Statement>();
}

std::vector<std::int64_t> PostgresStore::numbers_of(const std::vector<RefMove>& moves) const {
  std::vector<std::int64_t> numbers;
  numbers.reserve(moves.size());
  for (const RefMove& move : moves) numbers.push_back(tip_of(move.name).number);
  return numbers;
}

// Sends a change. Attempt::refused then says which condition does not hold.
Result<Receipt> PostgresStore::write(Connection& connection, const Transaction& transaction,
                                     Attempt& attempt) const {
  const auto numbers = numbers_of(transaction.refs);
  attempt.is_spent = static_cast<bool>(transaction.more);
  const bool removes = !transaction.erase.empty() || !transaction.properties.empty();
  const auto change = [&] {
    return postgres::Change(store_, transaction, attempt.next, numbers, seals_.get(),
                            removes ? if_restricted(kAdmin) : std::vector<Statement>())
        .run(connection);
  };
  if (seals_ != nullptr && !transaction.erase.empty()) TRY(seals_->prepare_to_destroy());
  if (seals_ != nullptr) TRY(seals_->prepare(transaction.objects, transaction.erase));
  auto done = change();
  while (!done && connection.state() == postgres::kErased) {  // Nothing was done.
    TRY(renew_seals(connection));
    TRY(seals_->prepare(transaction.objects, transaction.erase));
    done = change();
  }
  attempt.refused = done ? std::string() : connection.state();
  if (!done && connection.is_lost() && attempt.next) attempt.unanswered = attempt.next->name;
  if (attempt.refused == postgres::kStale) return Receipt{.is_stale = true};
  if (!done && attempt.refused != postgres::kMissing) return done.error();
  if (!done) {
    const auto found = TRY(has(transaction.required));
    const auto missing = std::ranges::find(found, false);
    if (missing == found.end()) return unavailable("an object came back meanwhile", "try again");
    return not_stored(transaction.required[static_cast<std::size_t>(missing - found.begin())]);
  }
  Receipt receipt{.erased = *done};
  if (attempt.next) receipt.operation = attempt.next->name;
  return receipt;
}

Result<Properties> PostgresStore::properties(std::span<const std::string_view> keys) const {
  const Rows rows =
      TRY(ask_one(about("SELECT s.epoch, s.erasures, p.key, p.value FROM spoor.stores s LEFT JOIN "
                        "spoor.properties p ON p.store = s.id AND p.key = ANY($2) WHERE s.id = $1")
                      .add(std::vector(keys.begin(), keys.end()))));
  if (rows.size() == 0) return not_found("the store was removed from the database");
  Properties found{static_cast<std::uint64_t>(rows.number(0, 0)),
                   static_cast<std::uint64_t>(rows.number(0, 1)),
                   {}};
  for (const std::string_view key : keys) {
    std::optional<std::string>& value = found.values.emplace_back();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows.is_null(i, 2) && rows.bytes(i, 2) == key) value = rows.bytes(i, 3);
    }
  }
  return found;
}

Result<std::optional<std::string>> PostgresStore::local(std::string_view key) const {
  const Rows rows = TRY(ask_one(
      about("SELECT value FROM spoor.locals WHERE store = $1 AND workspace = $2 AND key = $3")
          .add(std::string_view(options_.workspace))
          .add(key)));
  return rows.size() == 0 ? std::nullopt : std::optional(std::string(rows.bytes(0, 0)));
}

Result<void> PostgresStore::set_local(std::string_view key,
                                      const std::optional<std::string>& value) {
  Statement set =
      about(value ? "INSERT INTO spoor.locals VALUES ($1, $2, $3, $4) "
                    "ON CONFLICT (store, workspace, key) DO UPDATE SET value = excluded.value"
                  : "DELETE FROM spoor.locals WHERE store = $1 AND workspace = $2 AND key = $3");
  set.add(std::string_view(options_.workspace)).add(key);
  if (value) set.add(std::string_view(*value));
  TRY(reach());
  std::vector<Statement> steps = if_restricted(kAppender);
  steps.push_back(std::move(set));
  TRY(ask_all(steps));
  return {};
}

Result<std::unique_ptr<SearchIndex>> PostgresStore::search_index() const {
  if (options_.index_file.empty()) return Store::search_index();
  auto index = TextIndex::open(options_.index_file, 0600);
  if (!index && index.error().code == Error::Code::io) return Store::search_index();
  return std::unique_ptr<SearchIndex>(TRY(std::move(index)));
}

Result<void> PostgresStore::forget_words() const {
  if (options_.index_file.empty()) return {};
  return TextIndex::forget(options_.index_file);
}

Result<std::optional<std::string>> PostgresStore::cached(std::string_view key) const {
  const Rows rows =
      TRY(ask_one(about("SELECT value FROM spoor.cached WHERE store = $1 AND key = $2").add(key)));
  if (rows.size() == 0) return std::optional<std::string>();
  if (seals_ != nullptr) return seals_->open_cached(key, rows.bytes(0, 0));
  return std::optional(std::string(rows.bytes(0, 0)));
}

Result<void> PostgresStore::put_cached(std::string_view key, std::string_view value) {
  if (!numbers_log_) return {};  // This user only reads.
  std::string sealed;
  if (seals_ != nullptr) {
    sealed = TRY(seals_->seal_cached(key, value));
    value = sealed;
  }
  const auto put = ask_one(about("INSERT INTO spoor.cached VALUES ($1, $2, $3) "
                                 "ON CONFLICT (store, key) DO UPDATE SET value = excluded.value")
                               .add(key)
                               .add(value));
  if (!put && put.error().code != Error::Code::denied) return put.error();
  return {};
}

Result<void> PostgresStore::exclusive(const std::function<Result<void>()>& body) {
  const std::scoped_lock hold(mutex_);
  if (depth_ == 0) TRY(ask_one(about(kLock)));
  if (depth_ == 0) holds_lock_ = true;
  ++depth_;
  auto done = body();
  --depth_;
  if (depth_ > 0) return done;
  // With its connection, the server takes a lock back.
  if (std::exchange(holds_lock_, false) && !connection_->run(about(kUnlock))) drop_connection();
  const auto refused_for = std::exchange(refused_for_, std::nullopt);
  return refused_for ? *refused_for : done;
}

}  // namespace spoor::store
