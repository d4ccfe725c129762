// Parts that a store in PostgreSQL derives from its objects and its log, checked and made again.

#include <algorithm>
#include <map>
#include <utility>

#include "store/commit_head.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/roles.h"
#include "store/ref_log.h"

namespace spoor::store {
namespace {

using postgres::not_spoors;
using postgres::Statement;

constexpr std::size_t kRowsAtOnce = 1'000;

constexpr auto kCommits = R"(
  SELECT oid, parent, content, body FROM spoor.objects
  WHERE store = $1 AND kind = $2 AND oid > $3 ORDER BY oid LIMIT $4)";
constexpr auto kNotCommits = R"(
  SELECT oid, kind, body FROM spoor.objects
  WHERE store = $1 AND kind <> $2 AND oid > $3 ORDER BY oid LIMIT $4)";
constexpr auto kEnds = R"(
  SELECT name, number, target, operation, at FROM spoor.refs WHERE store = $1 ORDER BY name)";
constexpr auto kMoves = R"(
  SELECT ref, number, operation FROM spoor.moves
  WHERE store = $1 AND (ref, number) > ($2, $3) ORDER BY ref, number LIMIT $4)";
constexpr auto kSetTarget = "UPDATE spoor.refs SET target = $3 WHERE store = $1 AND name = $2";
constexpr auto kDropMoves = "DELETE FROM spoor.moves WHERE store = $1 AND ref = $2";
constexpr auto kAddMoves = R"(
  INSERT INTO spoor.moves SELECT $1, $2, $3 + place, operation
  FROM unnest($4::bytea[]) WITH ORDINALITY AS m(operation, place))";
constexpr auto kSetEnd = R"(
  INSERT INTO spoor.refs (store, name, number, target, operation, at)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (store, name) DO UPDATE
  SET number = excluded.number, target = excluded.target, operation = excluded.operation,
    at = excluded.at)";

}  // namespace

// The operations of one ref, oldest first, and where it is after them.
struct PostgresStore::Chain {
  std::int64_t number = 0;  // Of its last move.
  std::vector<Oid> operations;
  Tip end;
  bool is_numbered = true;  // Without a gap.
};

// Passes on the rows of kCommits or kNotCommits, many at a time.
Result<void> PostgresStore::each_page(const char* objects,
                                      const std::function<Result<void>(const Rows&)>& visit) const {
  std::string after;
  while (true) {
    const Rows rows = TRY(ask_one(about(objects)
                                      .add(static_cast<std::int64_t>(Kind::commit))
                                      .add(std::string_view(after))
                                      .add(static_cast<std::int64_t>(kRowsAtOnce))));
    TRY(visit(rows));
    if (rows.size() < kRowsAtOnce) return {};
    after = rows.bytes(rows.size() - 1, 0);
  }
}

// Returns the commits whose columns are not what their bytes say.
Result<std::vector<PostgresStore::Misplaced>> PostgresStore::misplaced() const {
  std::vector<Misplaced> found;
  TRY(each_page(kCommits, [&](const Rows& rows) -> Result<void> {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto oid = rows.oid(i, 0);
      const auto parent = first_parent_of(rows.bytes(i, 3));
      const auto content = content_of(rows.bytes(i, 3));
      const bool is_right = rows.oid(i, 1) == parent && rows.oid(i, 2) == content;
      if (oid && !is_right) found.push_back({*oid, parent, content});
    }
    return {};
  }));
  return found;
}

// Returns the chains of all refs as the log has them.
Result<PostgresStore::Chains> PostgresStore::replayed() const {
  Chains chains;
  std::uint64_t number = 0;
  while (true) {
    const auto some = TRY(operations(number, kRowsAtOnce));
    for (const LoggedOperation& each : some) {
      number = each.number;
      const Operation operation = TRY(parse_operation(each.body));
      for (const RefMove& move : operation.refs) {
        Chain& chain = chains[move.name];
        // What a checkpoint replaced is in no chain.
        if (!operation.folded) chain.operations.push_back(each.name);
        chain.end.target = move.after;
        chain.end.operation = chain_name(operation, each.name);
        chain.end.time = operation.time;
      }
    }
    if (some.size() < kRowsAtOnce) return chains;
  }
}

// Returns the chains as the tables have them.
Result<PostgresStore::Chains> PostgresStore::stored_chains() const {
  Chains chains;
  const Rows ends = TRY(ask_one(about(kEnds)));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    chains[std::string(ends.bytes(i, 0))].end =
        Tip{ends.number(i, 1), ends.oid(i, 2), ends.oid(i, 3), Timestamp{ends.number(i, 4)}};
  }
  std::string ref;
  std::int64_t number = 0;
  while (true) {
    const Rows rows = TRY(ask_one(about(kMoves)
                                      .add(std::string_view(ref))
                                      .add(number)
                                      .add(static_cast<std::int64_t>(kRowsAtOnce))));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ref = rows.bytes(i, 0);
      number = rows.number(i, 1);
      const auto operation = rows.oid(i, 2);
      if (!operation) return not_spoors("the name of an operation");
      Chain& chain = chains[ref];
      chain.is_numbered &= chain.operations.empty() || chain.number + 1 == number;
      chain.number = number;
      chain.operations.push_back(*operation);
    }
    if (rows.size() < kRowsAtOnce) return chains;
  }
}

// Whether writers can go on from what the tables have of a ref, and its moves are those of the log.
// A ref of which no operation is left in the log ends anywhere.
bool PostgresStore::is_chain(const Chain& stored, const Chain& logged) {
  if (stored.operations != logged.operations || !stored.is_numbered) return false;
  if (stored.end.number == 0) return false;
  if (logged.operations.empty()) return true;
  return stored.end.number == stored.number && stored.end.operation == logged.operations.back() &&
         stored.end.time == logged.end.time;
}

// Adds the objects of a sealed store that cannot be opened, or are not sealed.
Result<void> PostgresStore::find_unopened(std::vector<Finding>& findings) const {
  return each_page(kNotCommits, [&](const Rows& rows) -> Result<void> {
    std::vector<postgres::StoredRow> stored;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto oid = rows.oid(i, 0);
      if (oid) stored.push_back({*oid, rows.number(i, 1), rows.bytes(i, 2)});
    }
    TRY(learn(stored));
    for (const auto& row : stored) {
      const auto object = object_of(row);
      if (!object && object.error().code != Error::Code::corrupt &&
          object.error().code != Error::Code::not_found) {
        return object.error();
      }
      if (!object) findings.push_back({row.oid.hex(), object.error().message});
      if (object && row.kind < postgres::kSealedBit) {
        findings.push_back({row.oid.hex(), "the object is not sealed"});
      }
    }
    return {};
  });
}

Result<std::vector<Store::Finding>> PostgresStore::check() const {
  std::vector<Finding> findings;
  const auto misplaced = TRY(this->misplaced());
  findings.reserve(misplaced.size());
  for (const Misplaced& each : misplaced) {
    findings.push_back({each.oid.hex(), "the columns of this commit are not what it says"});
  }
  if (seals_ != nullptr) TRY(find_unopened(findings));
  const auto logged = replayed();
  if (!logged) return findings;  // fsck reports the operation.
  Chains stored = TRY(stored_chains());
  for (const auto& [name, chain] : *logged) {
    const auto found = stored.extract(name);
    if (found.empty()) {
      findings.push_back({name, "the tables of refs and moves do not have it", true});
    } else if (found.mapped().end.target != chain.end.target) {
      findings.push_back({name, "the table of refs has another value than the log"});
    } else if (!is_chain(found.mapped(), chain)) {
      findings.push_back({name, "the table of moves has other operations than the log"});
    }
  }
  for (const auto& [name, chain] : stored) {
    if (!chain.end.target && chain.operations.empty()) continue;  // It was deleted, and folded.
    findings.push_back({name, "the log does not have it"});
  }
  return findings;
}

Result<void> PostgresStore::rebuild() {
  return exclusive([&]() -> Result<void> {
    std::vector<Statement> steps = if_restricted(postgres::kAdmin);
    steps.push_back(about("DELETE FROM spoor.cached WHERE store = $1"));
    for (const Misplaced& each : TRY(misplaced())) {
      steps.push_back(about("UPDATE spoor.objects SET parent = $3, content = $4 "
                            "WHERE store = $1 AND oid = $2")
                          .add(each.oid)
                          .add(each.parent)
                          .add(each.content));
    }
    const auto of = [&](const char* text, const std::string& name) {
      return std::move(about(text).add(std::string_view(name)));
    };
    const Chains logged = TRY(replayed());
    Chains stored = TRY(stored_chains());
    for (const auto& [name, chain] : logged) {
      const Chain& old = stored[name];
      if (is_chain(old, chain)) {
        steps.push_back(of(kSetTarget, name).add(chain.end.target));
        continue;
      }
      // Writers may remember the numbers that there were: none comes again.
      const std::int64_t last = std::max(old.end.number, old.number);
      const auto count = static_cast<std::int64_t>(chain.operations.size());
      steps.push_back(of(kDropMoves, name));
      steps.push_back(of(kAddMoves, name).add(last).add(std::span(chain.operations)));
      steps.push_back(of(kSetEnd, name)
                          .add(last + std::max<std::int64_t>(1, count))
                          .add(chain.end.target)
                          .add(chain.end.operation)
                          .add(chain.end.time.micros));
    }
    for (const auto& [name, chain] : stored) {
      if (logged.contains(name)) continue;
      steps.push_back(of(kDropMoves, name));
      steps.push_back(of(kSetTarget, name).add(std::optional<Oid>()));
    }
    TRY(ask_all(steps));
    tips_.clear();
    return {};
  });
}

}  // namespace spoor::store
