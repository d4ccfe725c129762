#include "store/sqlite/ref_cache.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/operation_walk.h"
#include "store/sha256.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/numbers.h"

namespace spoor::store::sqlite {
namespace {

Result<void> set_ref(Connection& connection, std::string_view name,
                     const std::optional<Oid>& target) {
  if (!target) {
    Statement drop = TRY(connection.use(Query::drop_ref));
    return connection.run(drop.bind_text(1, name));
  }
  Statement set = TRY(connection.use(Query::set_ref));
  return connection.run(set.bind_text(1, name).bind_blob(2, target->view()));
}

// Returns the seal of the snapshot: its operation's number, and the hash of all refs in it.
std::string seal_of(std::uint64_t number, const RefMap& refs) {
  std::string text;
  for (const auto& [name, target] : refs) text += fmt::format("{} {}\n", target.hex(), name);
  return fmt::format("{} {}", number, sha256(text).hex());
}

Result<void> seal_snapshot(Connection& connection, std::uint64_t number, const RefMap& refs) {
  return set_derived(connection, kRefsSealKey, seal_of(number, refs));
}

// Returns whether the snapshot is as written. A snapshot written by an older spoor has no seal and
// is accepted; one that an older spoor overwrote has the seal of another number.
Result<bool> is_snapshot_sealed(Connection& connection, std::uint64_t number, const RefMap& refs) {
  const auto seal = TRY(derived(connection, kRefsSealKey));
  return !seal || *seal == seal_of(number, refs);
}

// An operation read but not applied yet.
struct Read {
  std::uint64_t number;
  Oid name;
  Operation operation;
};

Result<void> set_snapshot_number(Connection& connection, std::uint64_t number) {
  return set_derived_number(connection, kRefsSnapshotKey, static_cast<std::int64_t>(number));
}

}  // namespace

Result<std::uint64_t> snapshot_number(Connection& connection) {
  return static_cast<std::uint64_t>(
      TRY(derived_number(connection, kRefsSnapshotKey, "the refs' snapshot")));
}

Result<RefMap> snapshot_refs(Connection& connection) {
  Statement rows = TRY(connection.use(Query::all_refs));
  RefMap refs;
  while (TRY(connection.next(rows))) {
    const auto target = Oid::from_bytes(rows.bytes(1));
    if (!target) {
      return corrupt(fmt::format("the snapshot of ref '{:.512}' is malformed", rows.bytes(0)),
                     kRebuildHint);
    }
    refs.emplace_hint(refs.end(), rows.bytes(0), *target);
  }
  return refs;
}

Result<LoggedOperation> logged_operation(Connection& connection, const Statement& row) {
  const std::int64_t number = row.integer(0);
  const auto name = Oid::from_bytes(row.bytes(1));
  auto body = text_body(connection, row, 2);
  if (number < 1 || !name || !body) {
    return corrupt(fmt::format("operation {} is malformed", number), "run 'spoor store fsck'");
  }
  return LoggedOperation{static_cast<std::uint64_t>(number), *name, std::move(*body)};
}

Result<LoggedOperation> verified_operation(Connection& connection, const Statement& row) {
  LoggedOperation logged = TRY(logged_operation(connection, row));
  TRY(verify(logged));
  return logged;
}

Result<void> RefCache::catch_up(Connection& connection) {
  auto done = try_catch_up(connection);
  if (!done && !log_.name()) is_loaded_ = false;  // Only the snapshot is loaded.
  return done;
}

Result<void> RefCache::try_catch_up(Connection& connection) {
  if (!is_loaded_) TRY(load_snapshot(connection));
  if (TRY(replay(connection))) return {};
  // The log lacks the cache's operation.
  if (log_.name() && !TRY(was_shortened(connection))) {
    return unavailable("the store's file was replaced by another file",
                       "open the store again; what was read before may not be in it");
  }
  TRY(load_snapshot(connection));
  if (TRY(replay(connection))) return {};
  return corrupt("the snapshot of the refs is ahead of the operation log", kRebuildHint);
}

// Returns whether the log begins with a checkpoint that replaces the last operation applied.
Result<bool> RefCache::was_shortened(Connection& connection) {
  Statement rows = TRY(connection.use(Query::operations_from));
  if (!TRY(connection.next(rows.bind(1, 0)))) return false;
  const LoggedOperation first = TRY(logged_operation(connection, rows));
  return TRY(parse_operation(first.body)).folded && first.number >= log_.number();
}

Result<void> RefCache::load_snapshot(Connection& connection) {
  is_loaded_ = false;
  changed_.clear();
  snapshot_ = TRY(snapshot_number(connection));
  RefMap refs = snapshot_ > 0 ? TRY(snapshot_refs(connection)) : RefMap();
  if (TRY(is_snapshot_sealed(connection, snapshot_, refs))) {
    // Leaves out the operation's name: replay() applies that operation again, which changes no ref.
    log_ = RefLog(snapshot_, std::move(refs));
  } else {
    log_ = RefLog();  // The whole log is replayed, and the next snapshot contains every ref.
  }
  is_loaded_ = true;
  return {};
}

// Applies the later operations if all are readable. False if the last operation applied is not in
// the log under its number.
Result<bool> RefCache::replay(Connection& connection) {
  Statement rows = TRY(connection.use(Query::operations_from));
  rows.bind(1, static_cast<std::int64_t>(log_.number()));
  bool is_known = log_.number() == 0;
  std::vector<Read> since;
  while (TRY(connection.next(rows))) {
    if (static_cast<std::uint64_t>(rows.integer(0)) == log_.number() && log_.name()) {
      is_known = rows.bytes(1) == log_.name()->view();
      if (!is_known) return false;
      continue;
    }
    const LoggedOperation logged = TRY(verified_operation(connection, rows));
    Read read{logged.number, logged.name, TRY(parse_operation(logged.body))};
    if (read.number == log_.number()) is_known = true;
    const bool is_first = since.empty() && log_.number() > 0 && !log_.name();
    const std::uint64_t before = since.empty() ? log_.number() : since.back().number;
    const auto chain =
        since.empty() ? log_.chain() : chain_name(since.back().operation, since.back().name);
    const bool follows = read.number == before + 1 && read.operation.prev == chain;
    // If the log begins elsewhere, the cache is useless; the result reports that.
    if (!follows && !is_first && !read.operation.folded) return does_not_follow(read.number);
    since.push_back(std::move(read));
  }
  if (!is_known) return false;
  for (const Read& each : since) take_in(each.number, each.name, each.operation);
  return true;
}

void RefCache::take_in(std::uint64_t number, const Oid& name, const Operation& operation) {
  if (operation.folded) {  // It lists every ref; all others no longer exist.
    for (const auto& [ref, target] : log_.refs()) changed_.insert(ref);
  }
  for (const RefMove& move : operation.refs) changed_.insert(move.name);
  log_.apply(number, name, operation);
}

Result<std::uint64_t> RefCache::write(Connection& connection, const RefLog::Next& next,
                                      std::string_view names, std::string_view objects) {
  const std::uint64_t number = next_number();
  Statement row =
      TRY(connection.use(objects.empty() ? Query::add_operation : Query::add_operation_with));
  Packed packed;
  pack_text_body(next.body, packed);
  bind(row.bind(1, static_cast<std::int64_t>(number)).bind_blob(2, next.name.view()), 3, packed);
  row.bind_blob(6, names);
  if (!objects.empty()) row.bind_blob(7, objects);
  TRY(connection.run(row));
  if (TRY(is_snapshot_due(connection))) TRY(write_snapshot(connection, next));
  return number;
}

// Another process may have written it since this one last read it.
Result<bool> RefCache::is_snapshot_due(Connection& connection) {
  if (log_.number() + 1 - snapshot_ <= kSnapshotEvery) return false;
  snapshot_ = TRY(snapshot_number(connection));
  return log_.number() + 1 - snapshot_ > kSnapshotEvery;
}

// Leaves `changed_` unchanged until the transaction is known to have succeeded.
Result<void> RefCache::write_snapshot(Connection& connection, const RefLog::Next& next) {
  for (const std::string& name : changed_) TRY(set_ref(connection, name, log_.ref(name)));
  for (const RefMove& move : next.operation.refs) TRY(set_ref(connection, move.name, move.after));
  written_snapshot_ = log_.number() + 1;
  TRY(set_snapshot_number(connection, written_snapshot_));
  RefLog after(log_.number(), log_.refs());
  after.apply(written_snapshot_, next.name, next.operation);
  return seal_snapshot(connection, written_snapshot_, after.refs());
}

void RefCache::committed(std::uint64_t number, const RefLog::Next& next) {
  if (log_.number() + 1 == number) take_in(number, next.name, next.operation);
  if (written_snapshot_ == number && log_.number() == number) {
    snapshot_ = number;
    changed_.clear();
  }
}

Result<void> RefCache::write_whole_snapshot(Connection& connection) {
  TRY(connection.execute("DELETE FROM refs"));
  for (const auto& [name, target] : log_.refs()) TRY(set_ref(connection, name, target));
  TRY(set_snapshot_number(connection, log_.number()));
  TRY(seal_snapshot(connection, log_.number(), log_.refs()));
  snapshot_ = log_.number();
  changed_.clear();
  return {};
}

}  // namespace spoor::store::sqlite
