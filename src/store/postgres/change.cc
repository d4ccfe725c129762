#include "store/postgres/change.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "store/commit_head.h"
#include "store/postgres/locks.h"
#include "store/postgres/seals.h"
#include "store/put_roots.h"

namespace spoor::store::postgres {

// The columns of objects, in order of name, so that two writers of the same objects wait for each
// other in one order.
struct Columns {
  std::vector<std::optional<Oid>> oids;
  std::vector<std::optional<Oid>> parents;
  std::vector<std::optional<Oid>> contents;
  std::vector<std::int64_t> kinds;
  std::vector<std::string_view> bodies;
  std::deque<std::string> sealed;  // Those of `bodies` that are not the object's.

  Columns() = default;
  Columns(Columns&&) = default;  // A copy's `bodies` would be in another's `sealed`.

  void add(const NewObject& object, const Seals* seals, std::span<const Oid> erased) {
    const bool is_commit = object.kind == Kind::commit;
    const bool is_sealed = seals != nullptr && is_sealable(object.kind);
    oids.emplace_back(object.oid);
    kinds.push_back(static_cast<std::int64_t>(object.kind) | (is_sealed ? kSealedBit : 0));
    parents.push_back(is_commit ? first_parent_of(object.body) : std::nullopt);
    contents.push_back(is_commit ? content_of(object.body) : std::nullopt);
    const bool is_erased = is_sealed && std::ranges::find(erased, object.oid) != erased.end();
    bodies.emplace_back(is_sealed ? sealed.emplace_back(seals->seal(object, is_erased))
                                  : object.body);
  }
  Statement& add_to(Statement& statement) const {
    return statement.add(oids).add(kinds).add(parents).add(contents).add(bodies);
  }
};

namespace {

// A ref that is where the change expects it moves to its next operation, under the lock that
// writers share (kShare): the next statement reads a later moment. With arrays of refs in place of
// one, an append costs the server a fifth more.
constexpr auto kMove = R"(
  WITH moved AS (
    UPDATE spoor.refs SET number = $3 + 1, target = $4, operation = $5, at = $6
    WHERE store = $1 AND name = $2 AND number = $3
      AND pg_advisory_xact_lock_shared(1936748399, $1::int4) IS NOT NULL RETURNING number)
  INSERT INTO spoor.moves
  VALUES ($1, $2, coalesce((SELECT number FROM moved), spoor.refuse('SP001')), $5))";
constexpr auto kMake = R"(
  WITH made AS (
    INSERT INTO spoor.refs (store, name, number, target, operation, at)
    SELECT $1, $2, $3 + 1, $4, $5, $6
    WHERE pg_advisory_xact_lock_shared(1936748399, $1::int4) IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING number)
  INSERT INTO spoor.moves
  VALUES ($1, $2, coalesce((SELECT number FROM made), spoor.refuse('SP001')), $5))";
// The operation with its objects, if the epoch lasts.
constexpr auto kLog = R"(
  WITH put AS (
    INSERT INTO spoor.objects (store, oid, kind, parent, content, body)
    SELECT $1, oid, kind::int2, parent, content, body
    FROM unnest($5::bytea[], $6::int8[], $7::bytea[], $8::bytea[], $9::bytea[])
      AS g(oid, kind, parent, content, body)
    ON CONFLICT DO NOTHING)
  INSERT INTO spoor.operations (store, name, at, body)
  VALUES ($1, $2, $3, CASE
    WHEN $10 IS NOT NULL AND NOT EXISTS (
      SELECT FROM spoor.stores WHERE id = $1 AND epoch = $10)
      THEN int8send(spoor.refuse('SP002'))
    ELSE $4 END))";
constexpr auto kHold = R"(
  SELECT CASE
    WHEN $3 IS NOT NULL AND NOT EXISTS (SELECT FROM spoor.stores WHERE id = $1 AND epoch = $3)
    THEN spoor.refuse('SP002')
    WHEN $4 IS NOT NULL AND NOT EXISTS (SELECT FROM spoor.stores WHERE id = $1 AND erasures = $4)
    THEN spoor.refuse('SP004')
    WHEN EXISTS (
      SELECT FROM unnest($2::bytea[]) AS q(oid)
      WHERE NOT EXISTS (
        SELECT FROM spoor.objects o WHERE o.store = $1 AND o.oid = q.oid OFFSET 0))
    THEN spoor.refuse('SP003') END)";
constexpr auto kPut = R"(
  INSERT INTO spoor.objects (store, oid, kind, parent, content, body)
  SELECT $1, oid, kind::int2, parent, content, body
  FROM unnest($2::bytea[], $3::int8[], $4::bytea[], $5::bytea[], $6::bytea[])
    AS g(oid, kind, parent, content, body)
  ON CONFLICT DO NOTHING)";
constexpr auto kPutLoose = R"(
  INSERT INTO spoor.loose (store, oid, since)
  SELECT $1, oid, (SELECT coalesce(max(number), 0) FROM spoor.operations WHERE store = $1)
  FROM unnest($2::bytea[]) AS g(oid)
  ON CONFLICT (store, oid) DO UPDATE SET since = excluded.since)";
// Lists the keys of the rows that are erased next: they are destroyed when that is committed.
constexpr auto kPend = R"(
  INSERT INTO spoor.properties
  SELECT $1, 'erasure.unfinished', convert_to(string_agg(
    encode(oid, 'hex') || ' ' || get_byte(body, 0) || E'\n', ''), 'UTF8')
  FROM spoor.objects WHERE store = $1 AND oid = ANY($2) AND kind >= 256 HAVING count(*) > 0
  ON CONFLICT (store, key) DO UPDATE SET value = properties.value || excluded.value)";
constexpr auto kErase = R"(
  WITH gone AS (DELETE FROM spoor.objects WHERE ctid = ANY (ARRAY(
    SELECT o.ctid FROM unnest($2::bytea[]) q(oid) CROSS JOIN LATERAL (
      SELECT ctid FROM spoor.objects WHERE store = $1 AND oid = q.oid LIMIT 1) o)) RETURNING 1),
  n AS (SELECT count(*) AS gone FROM gone),
  dropped AS (DELETE FROM spoor.cached WHERE store = $1 AND (SELECT gone FROM n) > 0),
  counted AS (UPDATE spoor.stores SET erasures = erasures + 1, epoch = epoch + 1
              WHERE id = $1 AND (SELECT gone FROM n) > 0)
  SELECT gone FROM n)";
constexpr auto kSetProperty = R"(
  INSERT INTO spoor.properties VALUES ($1, $2, $3)
  ON CONFLICT (store, key) DO UPDATE SET value = excluded.value)";
constexpr auto kUnsetProperty = "DELETE FROM spoor.properties WHERE store = $1 AND key = $2";
constexpr auto kEndEpoch = "UPDATE spoor.stores SET epoch = epoch + 1 WHERE id = $1";

// In one statement. Larger ones take the server longer for each row, and while it works on one it
// takes in the next.
constexpr std::size_t kPutBytes = 1U << 20U;

void append(std::vector<Statement>& to, const std::vector<Statement>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Parts of what is put by one statement each.
std::vector<Columns> columns_of(const std::vector<NewObject>& objects, const Seals* seals,
                                std::span<const Oid> erased) {
  std::vector<const NewObject*> sorted;
  sorted.reserve(objects.size());
  for (const NewObject& each : objects) sorted.push_back(&each);
  std::ranges::sort(sorted, {}, &NewObject::oid);
  std::vector<Columns> parts;
  std::size_t bytes = kPutBytes;
  for (const NewObject* object : sorted) {
    if (bytes >= kPutBytes) {
      parts.emplace_back();
      bytes = 0;
    }
    parts.back().add(*object, seals, erased);
    bytes += object->body.size();
  }
  return parts;
}

}  // namespace

Change::Change(std::int64_t store, const Transaction& transaction,
               const std::optional<RefLog::Next>& next, const std::vector<std::int64_t>& numbers,
               Seals* seals, std::vector<Statement> first)
    : store_(store), transaction_(transaction), seals_(seals), conditions_(std::move(first)) {
  const bool removes = !transaction.erase.empty() || !transaction.properties.empty();
  if (removes || !next || transaction.more) conditions_.push_back(about(removes ? kAlone : kShare));
  const auto parts = columns_of(transaction.objects, seals, transaction.erase);
  // Those of a small change are in the statement that logs it.
  const bool is_small = next && parts.size() <= 1 && !transaction.more && transaction.erase.empty();
  // In parts, what else the change does comes before its refs.
  if (!next || transaction.more) add_conditions(conditions_);
  const Columns none;
  if (next) add_moves(*next, numbers, is_small && !parts.empty() ? parts.front() : none);
  if (!is_small) add_puts(rest_, transaction.objects, parts);
  for (const auto& [key, value] : transaction.properties) {
    Statement set = about(value ? kSetProperty : kUnsetProperty).add(std::string_view(key));
    if (value) set.add(std::string_view(*value));
    rest_.push_back(std::move(set));
  }
  if (!transaction.properties.empty()) rest_.push_back(about(kEndEpoch));
}

void Change::add_conditions(std::vector<Statement>& to) const {
  if (!transaction_.epoch && transaction_.required.empty() && seals_ == nullptr) return;
  // Since the keys were asked for with which the objects are sealed, none was destroyed.
  std::optional<std::uint64_t> erasures;
  if (seals_ != nullptr) erasures = static_cast<std::uint64_t>(seals_->erasures());
  to.push_back(
      about(kHold).add(std::span(transaction_.required)).add(transaction_.epoch).add(erasures));
}

// The conditions after the moves: a call that is retried succeeds whatever they are. And before the
// objects, which may be some that are required.
void Change::add_moves(const RefLog::Next& next, const std::vector<std::int64_t>& numbers,
                       const Columns& objects) {
  const std::int64_t at = next.operation.time.micros;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const RefMove& ref = transaction_.refs[i];
    Statement move = about(numbers[i] == 0 ? kMake : kMove).add(std::string_view(ref.name));
    moves_.push_back(move.add(numbers[i]).add(ref.after).add(next.name).add(at));
  }
  const bool is_whole = !transaction_.more;
  const bool has_own = !transaction_.required.empty() || seals_ != nullptr;
  if (is_whole && has_own) add_conditions(moves_);
  Statement log = about(kLog).add(next.name).add(at).add(std::string_view(next.body));
  const auto epoch = is_whole && !has_own ? transaction_.epoch : std::nullopt;
  moves_.push_back(objects.add_to(log).add(epoch));
}

Statement Change::about(const char* text) const { return std::move(Statement(text).add(store_)); }

void Change::add_puts(std::vector<Statement>& to, const std::vector<NewObject>& objects,
                      const std::vector<Columns>& parts) const {
  for (const Columns& part : parts) {
    Statement put = about(kPut);
    to.push_back(part.add_to(put));
  }
  if (!transaction_.refs.empty() || objects.empty()) return;
  to.push_back(about(kNumbering));
  to.push_back(about(kNumber));
  std::vector<Oid> roots = put_roots(objects);
  std::ranges::sort(roots);
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  to.push_back(about(kPutLoose).add(std::span(roots)));
}

Result<std::size_t> Change::run(Connection& connection) const {
  if (transaction_.more) return run_in_parts(connection);
  std::vector<Statement> all = conditions_;
  append(all, moves_);
  add_erasure(all);
  const std::size_t erased = all.size() - 1;
  append(all, rest_);
  const auto done = TRY(connection.run(all));
  const bool erases = !transaction_.erase.empty();
  return erases ? static_cast<std::size_t>(done[erased].number(0, 0)) : std::size_t{0};
}

// The last statement that it adds returns how many rows went.
void Change::add_erasure(std::vector<Statement>& to) const {
  if (transaction_.erase.empty()) return;
  if (seals_ != nullptr) to.push_back(about(kPend).add(std::span(transaction_.erase)));
  to.push_back(about(kErase).add(std::span(transaction_.erase)));
}

// The refs last: they are locked until the end.
Result<std::size_t> Change::run_in_parts(Connection& connection) const {
  const auto attempt = [&]() -> Result<std::size_t> {
    std::vector<Statement> first = {Statement("BEGIN")};
    append(first, conditions_);
    add_erasure(first);
    const auto begun = TRY(connection.run(first));
    TRY(connection.run(rest_));
    TRY(put_parts(connection));
    std::vector<Statement> last = moves_;
    last.emplace_back("COMMIT");
    TRY(connection.run(last));
    const bool erases = !transaction_.erase.empty();
    return erases ? static_cast<std::size_t>(begun.back().number(0, 0)) : std::size_t{0};
  };
  auto done = attempt();
  if (!done) connection.roll_back();
  return done;
}

Result<void> Change::put_parts(Connection& connection) const {
  while (true) {
    const auto part = TRY(transaction_.more());
    if (part.empty()) return {};
    if (seals_ != nullptr) TRY(seals_->prepare(part, transaction_.erase));
    std::vector<Statement> puts;
    add_puts(puts, part, columns_of(part, seals_, transaction_.erase));
    TRY(connection.run(puts));
  }
}

}  // namespace spoor::store::postgres
