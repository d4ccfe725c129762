#include "store/sqlite/dictionaries.h"

#include <algorithm>

#include <fmt/format.h>

#include "store/sha256.h"

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
  Statement numbers = TRY(connection.use(Query::dictionary_numbers));
  while (TRY(connection.next(numbers))) {
    const std::int64_t number = std::clamp<std::int64_t>(numbers.integer(0), 0, kLastNumber);
    found.last_number = static_cast<DictionaryNumber>(number);
    Statement row = TRY(connection.use(Query::dictionary_row));
    // A damaged dictionary is not used for packing.
    if (!TRY(connection.next_readable(row.bind(1, numbers.integer(0))))) continue;
    const std::string_view body = row.bytes(4);
    if (row.bytes(1) != name_of(table)) continue;
    const bool is_sound = row.bytes(3) == sha256(body).view();
    found.newest = is_sound ? unpack_dictionary(found.last_number, body).value_or("") : "";
    found.learned = static_cast<std::uint64_t>(std::max<std::int64_t>(row.integer(2), 0));
  }
  return found;
}

Result<bool> add_dictionary(Connection& connection, PackedTable table, const NewDictionary& added) {
  if (TRY(dictionaries(connection, table)).last_number >= added.number) {
    return false;
  }
  const std::string packed = pack_dictionary(added.bytes);
  const Oid hash = sha256(packed);
  Statement row = TRY(connection.use(Query::add_dictionary));
  row.bind(1, added.number).bind_text(2, name_of(table));
  row.bind(3, static_cast<std::int64_t>(added.learned));
  TRY(connection.run(row.bind_blob(4, hash.view()).bind_blob(5, packed)));
  return true;
}

Result<bool> has_dictionaries(Connection& connection) {
  if (!TRY(has_table(connection))) return false;
  Statement row = TRY(connection.use(Query::has_dictionary));
  return connection.next(row);
}

Result<bool> has_dictionary(Connection& connection, DictionaryNumber number) {
  if (!TRY(has_table(connection))) return false;
  Statement row = TRY(connection.use(Query::dictionary_row));
  const auto step = row.bind(1, number).step();
  if (step != Statement::Step::failed) return step == Statement::Step::row;
  if (connection.error().code != Error::Code::corrupt) return connection.error();
  return true;
}

Result<void> empty_dictionaries(Connection& connection) {
  if (!TRY(has_table(connection))) return {};
  return connection.execute("UPDATE dictionaries SET hash=x'',body=x''");
}

Result<std::vector<Store::Finding>> damaged_dictionaries(Connection& connection) {
  std::vector<Store::Finding> found;
  if (!TRY(has_table(connection))) return found;
  Statement numbers = TRY(connection.use(Query::dictionary_numbers));
  while (TRY(connection.next(numbers))) {
    const std::int64_t number = numbers.integer(0);
    const auto add = [&](std::string_view problem) {
      found.push_back({fmt::format("dictionary {}", number), std::string(problem)});
    };
    Statement rows = TRY(connection.use(Query::dictionary_row));
    if (!TRY(connection.next_readable(rows.bind(1, number)))) {
      add("its row cannot be read; rows packed with it are lost");
      continue;
    }
    if (!rows.is_text(1) || !rows.is_integer(2) || !rows.is_blob(3) || !rows.is_blob(4)) {
      add("a column has the wrong type");
      continue;
    }
    if (number < 1 || number > kLastNumber) add("its number is not that of a dictionary");
    if (rows.bytes(1) != name_of(PackedTable::commits) &&
        rows.bytes(1) != name_of(PackedTable::objects)) {
      add("it serves no table");
    }
    const std::string_view body = rows.bytes(4);
    if (body.empty() && rows.bytes(3).empty()) continue;  // Emptied by an erasure.
    if (rows.bytes(3) != sha256(body).view()) {
      add("its bytes are not those that were kept; rows packed with it are lost");
    } else if (!unpack_dictionary(static_cast<DictionaryNumber>(number), body)) {
      add("it is not the dictionary of this number; rows packed with it are lost");
    }
  }
  return found;
}

}  // namespace spoor::store::sqlite
