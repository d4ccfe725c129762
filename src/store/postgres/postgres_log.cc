// The log of a store in PostgreSQL.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "store/erased.h"
#include "store/postgres/locks.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/roles.h"
#include "store/postgres/schema.h"
#include "store/ref_log.h"

namespace spoor::store {
namespace {

using postgres::kAlone;
using postgres::kNumber;
using postgres::kNumbering;
using postgres::not_spoors;
using postgres::Rows;
using postgres::Statement;

constexpr auto kKnown = R"(
  SELECT CASE WHEN NOT EXISTS (SELECT FROM spoor.operations WHERE store = $1 AND number = $2)
    THEN spoor.refuse('SP003') END)";
// A checkpoint is here already, by the name of the operation that it stands for.
constexpr auto kKeepNames = R"(
  INSERT INTO spoor.folded SELECT store, number, name FROM spoor.operations
  WHERE store = $1 AND number <= $2 ON CONFLICT DO NOTHING)";
constexpr auto kFoldMoves = R"(
  DELETE FROM spoor.moves WHERE store = $1 AND operation IN (
    SELECT name FROM spoor.operations WHERE store = $1 AND number <= $2))";
constexpr auto kFold = "DELETE FROM spoor.operations WHERE store = $1 AND number <= $2";
constexpr auto kSweep = R"(
  DELETE FROM spoor.objects WHERE ctid = ANY (ARRAY(
    SELECT o.ctid FROM unnest($2::bytea[]) q(oid) CROSS JOIN LATERAL (
      SELECT ctid FROM spoor.objects WHERE store = $1 AND oid = q.oid LIMIT 1) o)))";
constexpr auto kLogFolded = R"(
  INSERT INTO spoor.operations (store, number, name, at, body) VALUES ($1, $2, $3, $4, $5))";

// Columns number, name, body.
Result<std::vector<LoggedOperation>> logged(const Rows& rows) {
  std::vector<LoggedOperation> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto name = rows.oid(i, 1);
    if (!name) return not_spoors("the name of an operation");
    found.push_back(
        {static_cast<std::uint64_t>(rows.number(i, 0)), *name, std::string(rows.bytes(i, 2))});
  }
  return found;
}

Result<std::optional<LoggedOperation>> first_of(const Rows& rows) {
  auto found = TRY(logged(rows));
  if (found.empty()) return std::optional<LoggedOperation>();
  return std::optional(std::move(found.front()));
}

}  // namespace

// Asks about the log, all of whose operations have numbers then. One who only reads sees those that
// have numbers already.
Result<Rows> PostgresStore::ask_log(const Statement& statement) const {
  const std::scoped_lock hold(mutex_);
  TRY(reach());
  if (!numbers_log_) return ask_one(statement);
  return std::move(TRY(ask_all({about(kNumbering), about(kNumber), statement})).back());
}

Result<std::vector<LoggedOperation>> PostgresStore::operations(std::uint64_t after,
                                                               std::size_t limit) const {
  const std::size_t most = std::numeric_limits<std::int32_t>::max();
  return logged(TRY(ask_log(about("SELECT number, name, body FROM spoor.operations "
                                  "WHERE store = $1 AND number > $2 ORDER BY number LIMIT $3")
                                .add(static_cast<std::int64_t>(after))
                                .add(static_cast<std::int64_t>(std::min(limit, most))))));
}

Result<std::optional<LoggedOperation>> PostgresStore::newest_operation() const {
  return first_of(
      TRY(ask_log(about("SELECT number, name, body FROM spoor.operations WHERE "
                        "store = $1 AND number > 0 ORDER BY number DESC LIMIT 1"))));
}

Result<std::optional<LoggedOperation>> PostgresStore::operation_at(std::string_view ref,
                                                                   Timestamp time) const {
  if (ref.empty()) {
    return first_of(TRY(ask_log(about("SELECT number, name, body FROM spoor.operations "
                                      "WHERE store = $1 AND number > 0 AND at <= $2 "
                                      "ORDER BY number DESC LIMIT 1")
                                    .add(time.micros))));
  }
  auto found = TRY(first_of(TRY(
      ask_log(about("SELECT o.* FROM spoor.moves m CROSS JOIN LATERAL (SELECT number, name, body "
                    "FROM spoor.operations WHERE store = $1 AND name = m.operation AND at <= $3 "
                    "LIMIT 1) o WHERE m.store = $1 AND m.ref = $2 ORDER BY m.number DESC LIMIT 1")
                  .add(ref)
                  .add(time.micros)))));
  if (found) return found;
  // The operations that a checkpoint replaced are no longer in the chain of the ref.
  auto oldest = TRY(operations(0, 1));
  if (oldest.empty()) return found;
  const auto operation = parse_operation(oldest.front().body);
  const bool is_it = operation && operation->folded && operation->time <= time &&
                     names_ref(operation.value(), ref);
  return is_it ? std::optional(std::move(oldest.front())) : std::nullopt;
}

Result<OperationNames> PostgresStore::folded_names() const {
  const Rows rows =
      TRY(ask_one(about("SELECT number, name FROM spoor.folded WHERE store = $1 ORDER BY number")));
  OperationNames folded;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto name = rows.oid(i, 1);
    if (!name) return not_spoors("the name of a folded operation");
    folded.names.push_back(*name);
  }
  if (rows.size() > 0) folded.first = static_cast<std::uint64_t>(rows.number(0, 0));
  return folded;
}

Result<void> PostgresStore::sweep(const Sweep& sweep) {
  TRY(reach());
  std::vector<Statement> steps = if_restricted(postgres::kAdmin);
  for (const auto* each : {kAlone, kNumbering, kNumber}) steps.push_back(about(each));
  if (sweep.checkpoint) {
    const Operation checkpoint = TRY(parse_operation(sweep.checkpoint->body));
    const auto number = static_cast<std::int64_t>(sweep.checkpoint->number);
    steps.emplace_back("SET LOCAL enable_hashjoin = on");
    for (const auto* step : {kKnown, kKeepNames, kFoldMoves, kFold})
      steps.push_back(about(step).add(number));
    steps.push_back(about(kLogFolded)
                        .add(number)
                        .add(sweep.checkpoint->name)
                        .add(checkpoint.time.micros)
                        .add(std::string_view(sweep.checkpoint->body)));
  }
  steps.push_back(about(kSweep).add(std::span(sweep.objects)));
  steps.push_back(about("DELETE FROM spoor.loose WHERE store = $1 AND since < $2")
                      .add(static_cast<std::int64_t>(sweep.past)));
  steps.push_back(about("DELETE FROM spoor.cached WHERE store = $1"));
  steps.push_back(
      about("UPDATE spoor.stores SET erasures = erasures + 1, epoch = epoch + 1 "
            "WHERE id = $1"));
  const std::scoped_lock hold(mutex_);
  auto done = ask_all(steps);
  if (!done && connection_ != nullptr && connection_->state() == postgres::kMissing) {
    return invalid("a checkpoint must replace an operation of the log");
  }
  TRY(done);
  return {};
}

Result<bool> PostgresStore::upgrade() {
  const std::int64_t before = TRY(postgres::check_version(TRY(ask_one(postgres::kVersion))));
  if (before == postgres::kSchemaVersion) return false;
  TRY(ask_all({postgres::kRefuse, postgres::roles_step()}));
  return true;
}

Result<std::uint64_t> PostgresStore::size() const {
  const Rows rows =
      TRY(ask_one(about("SELECT (SELECT coalesce(sum(pg_column_size(body)), 0) FROM spoor.objects "
                        "WHERE store = $1)::int8 + (SELECT coalesce(sum(pg_column_size(body)), 0) "
                        "FROM spoor.operations WHERE store = $1)::int8")));
  return static_cast<std::uint64_t>(rows.number(0, 0));
}

// Destroys the keys of what was erased. Others may erase meanwhile.
Result<void> PostgresStore::destroy_keys() {
  const std::scoped_lock hold(mutex_);
  while (true) {
    const auto list = TRY(property(kUnfinishedErasure));
    if (!list) return {};
    if (auto done = seals_->destroy(postgres::parse_pending(*list)); !done) {
      Error problem = std::move(done).error();
      problem.message = "the keys of erased texts are not destroyed yet: " + problem.message;
      problem.hint = "when their database answers, run 'spoor store gc --vacuum'";
      return problem;
    }
    std::vector<Statement> steps = if_restricted(postgres::kAdmin);
    steps.push_back(
        about("DELETE FROM spoor.properties WHERE store = $1 AND key = $2 AND value = $3")
            .add(kUnfinishedErasure)
            .add(std::string_view(*list)));
    TRY(ask_all(steps));
  }
}

Result<void> PostgresStore::compact() {
  if (seals_ != nullptr) TRY(destroy_keys());
  // Without the right to do so, it is left to the server.
  for (const auto* table : {"VACUUM spoor.objects", "VACUUM spoor.operations", "VACUUM spoor.moves",
                            "VACUUM spoor.refs"}) {
    TRY(ask_one(Statement(table)));
  }
  return {};
}

}  // namespace spoor::store
