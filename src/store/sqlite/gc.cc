#include "store/sqlite/gc.h"

#include <fmt/format.h>

#include "store/lines.h"
#include "store/put_roots.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/folded.h"
#include "store/sqlite/local_facts.h"
#include "store/sqlite/names.h"
#include "store/sqlite/numbers.h"
#include "store/sqlite/objects.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::string_view kPut = "put ";

Result<bool> is_logged(Connection& connection, std::uint64_t number) {
  Statement row = TRY(connection.use(Query::operation_at));
  return connection.next(row.bind(1, static_cast<std::int64_t>(number)));
}

// Writes the snapshot of the refs first: it may be as of an operation that is removed.
Result<void> fold_log(Connection& connection, const LoggedOperation& checkpoint) {
  if (!TRY(is_logged(connection, checkpoint.number))) {
    return invalid("a checkpoint must replace an operation of the log");
  }
  RefCache before;
  TRY(before.catch_up(connection));
  TRY(before.write_whole_snapshot(connection));
  const auto number = static_cast<std::int64_t>(checkpoint.number);
  TRY(keep_folded_names(connection, number));
  TRY(connection.execute(fmt::format("DELETE FROM operations WHERE number<={}", number)));
  Statement row = TRY(connection.use(Query::add_operation));
  Packed packed;
  pack_text_body(checkpoint.body, packed);
  bind(row.bind(1, number).bind_blob(2, checkpoint.name.view()), 3, packed);
  return connection.run(row.bind_blob(6, ""));
}

}  // namespace

Result<void> note_put(Connection& connection, std::span<const NewObject> objects) {
  const std::string number = std::to_string(TRY(newest_number(connection)));
  for (const Oid& root : put_roots(objects)) {
    TRY(set_local_fact(connection, std::string(kPut) + root.hex(), number));
  }
  return {};
}

Result<std::vector<Oid>> loose(Connection& connection, std::uint64_t since) {
  std::vector<Oid> found;
  Statement rows = TRY(connection.use(Query::loose));
  while (TRY(connection.next(rows))) {
    const auto oid = Oid::from_hex(rows.bytes(0).substr(kPut.size()));
    const auto number = parse_integer(rows.bytes(1));
    if (!oid || !number) return corrupt("the note of a put is malformed", "run 'spoor store fsck'");
    if (*number >= since) found.push_back(*oid);
  }
  return found;
}

Result<void> drop_cached(Connection& connection) {
  return connection.execute("DELETE FROM derived WHERE key>=x'63' AND key<x'64'");
}

Result<void> sweep(Connection& connection, const Sweep& sweep, RefCache& refs) {
  TRY(index_carried(connection));
  for (const Oid& oid : sweep.objects) TRY(drop_garbage(connection, oid));
  if (sweep.checkpoint) TRY(fold_log(connection, *sweep.checkpoint));
  TRY(drop_cached(connection));
  TRY(connection.execute(
      fmt::format("DELETE FROM local WHERE key>'put ' AND key<'put!' AND CAST(value AS INTEGER)<{}",
                  sweep.past)));
  return refs.catch_up(connection);
}

}  // namespace spoor::store::sqlite
