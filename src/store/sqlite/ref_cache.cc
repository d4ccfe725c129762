#include "store/sqlite/ref_cache.h"

#include <fmt/format.h>

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
    return corrupt(fmt::format("operation {} is malformed", number), "run 'spoor fsck'");
  }
  return LoggedOperation{static_cast<std::uint64_t>(number), *name, std::move(*body)};
}

Result<void> RefCache::catch_up(Connection& connection) {
  if (!is_loaded_) TRY(load_snapshot(connection));
  if (TRY(replay(connection))) return {};
  // The log does not have what the cache came from.
  if (log_.name() && !TRY(was_shortened(connection))) {
    return unavailable("another file was put in the place of the store that was opened",
                       "open it again; what was read before may not be in it");
  }
  TRY(load_snapshot(connection));
  if (TRY(replay(connection))) return {};
  return corrupt("the snapshot of the refs is ahead of the operation log", kRebuildHint);
}

// Does the log begin with a checkpoint that stands for what was last taken in?
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
  // Without the name of its operation: replay() takes that one in once more,
  // which changes no ref.
  RefMap refs = snapshot_ > 0 ? TRY(snapshot_refs(connection)) : RefMap();
  log_ = RefLog(snapshot_, std::move(refs));
  is_loaded_ = true;
  return {};
}

// Takes in the operations since. False when the one last taken in is not in the
// log, or not under its number.
Result<bool> RefCache::replay(Connection& connection) {
  Statement rows = TRY(connection.use(Query::operations_from));
  rows.bind(1, static_cast<std::int64_t>(log_.number()));
  bool is_known = log_.number() == 0;
  while (TRY(connection.next(rows))) {
    if (static_cast<std::uint64_t>(rows.integer(0)) == log_.number() && log_.name()) {
      is_known = rows.bytes(1) == log_.name()->view();
      if (!is_known) return false;
      continue;
    }
    const LoggedOperation logged = TRY(logged_operation(connection, rows));
    const Operation operation = TRY(parse_operation(logged.body));
    if (logged.number == log_.number()) is_known = true;
    take_in(logged.number, logged.name, operation);
  }
  return is_known;
}

void RefCache::take_in(std::uint64_t number, const Oid& name, const Operation& operation) {
  if (operation.folded) {  // It lists every ref: those it leaves out are gone.
    for (const auto& [ref, target] : log_.refs()) changed_.insert(ref);
  }
  for (const RefMove& move : operation.refs) changed_.insert(move.name);
  log_.apply(number, name, operation);
}

Result<std::uint64_t> RefCache::write(Connection& connection, const RefLog::Next& next,
                                      std::string_view names) {
  const std::uint64_t number = log_.number() + 1;
  Statement row = TRY(connection.use(Query::add_operation));
  Packed packed;
  pack_text_body(next.body, packed);
  bind(row.bind(1, static_cast<std::int64_t>(number)).bind_blob(2, next.name.view()), 3, packed);
  TRY(connection.run(row.bind_blob(6, names)));
  if (TRY(is_snapshot_due(connection))) TRY(write_snapshot(connection, next));
  return number;
}

// Another process may have written it since this one looked.
Result<bool> RefCache::is_snapshot_due(Connection& connection) {
  if (log_.number() + 1 - snapshot_ <= kSnapshotEvery) return false;
  snapshot_ = TRY(snapshot_number(connection));
  return log_.number() + 1 - snapshot_ > kSnapshotEvery;
}

// `changed_` is left as it is until the transaction is known to have gone through.
Result<void> RefCache::write_snapshot(Connection& connection, const RefLog::Next& next) {
  for (const std::string& name : changed_) TRY(set_ref(connection, name, log_.ref(name)));
  for (const RefMove& move : next.operation.refs) TRY(set_ref(connection, move.name, move.after));
  written_snapshot_ = log_.number() + 1;
  return set_snapshot_number(connection, written_snapshot_);
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
  snapshot_ = log_.number();
  changed_.clear();
  return {};
}

}  // namespace spoor::store::sqlite
