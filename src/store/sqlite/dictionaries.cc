#include "store/sqlite/dictionaries.h"

#include <fmt/format.h>

#include "store/sha256.h"
#include "store/sqlite/schema.h"

namespace spoor::store::sqlite {
namespace {

constexpr const char* kTable = "dictionaries";

Result<bool> has_table(Connection& connection) {
  Statement row = TRY(connection.use(Query::has_table));
  return connection.next(row.bind_text(1, kTable));
}

}  // namespace

std::string_view name_of(PackedTable table) {
  return table == PackedTable::commits ? "commits" : "objects";
}

Result<Dictionaries> dictionaries(Connection& connection, PackedTable table) {
  Dictionaries found;
  if (!TRY(has_table(connection))) return found;
  Statement rows = TRY(connection.use(Query::dictionaries));
  while (TRY(connection.next(rows))) {
    found.last_number = static_cast<DictionaryNumber>(rows.integer(0));
    const std::string_view body = rows.bytes(3);
    found.is_none = found.is_none && body.empty();
    if (rows.bytes(1) != name_of(table)) continue;
    // Nothing is packed with one that is damaged.
    found.newest = rows.bytes(2) == sha256(body).view() ? body : std::string_view();
  }
  return found;
}

Result<void> allow_compression(Connection& connection) {
  if (TRY(has_table(connection))) return {};
  return add_dictionaries_table(connection);
}

Result<bool> add_dictionary(Connection& connection, PackedTable table, const NewDictionary& added) {
  if (TRY(dictionaries(connection, table)).last_number >= added.number) {
    return false;
  }
  const Oid hash = sha256(added.bytes);
  Statement row = TRY(connection.use(Query::add_dictionary));
  row.bind(1, added.number).bind_text(2, name_of(table));
  TRY(connection.run(row.bind_blob(3, hash.view()).bind_blob(4, added.bytes)));
  return true;
}

Result<bool> has_dictionaries(Connection& connection) {
  return !TRY(dictionaries(connection, PackedTable::objects)).is_none;
}

Result<void> empty_dictionaries(Connection& connection) {
  if (!TRY(has_table(connection))) return {};
  return connection.execute("UPDATE dictionaries SET hash=x'',body=x''");
}

Result<std::vector<Store::Finding>> damaged_dictionaries(Connection& connection) {
  std::vector<Store::Finding> found;
  if (!TRY(has_table(connection))) return found;
  Statement rows = TRY(connection.use(Query::dictionaries));
  while (TRY(connection.next(rows))) {
    const std::string_view body = rows.bytes(3);
    if (body.empty() && rows.bytes(2).empty()) continue;  // Emptied by an erasure.
    if (rows.bytes(2) != sha256(body).view()) {
      found.push_back({fmt::format("dictionary {}", rows.integer(0)),
                       "its bytes are not those that were kept; rows packed with it are lost"});
    }
  }
  return found;
}

}  // namespace spoor::store::sqlite
