#include "store/sqlite/erasures.h"

#include <charconv>
#include <string>
#include <string_view>

#include "store/sqlite/text_index.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::string_view kStaleDictionaries = "packing.stale";

Result<void> set(Connection& connection, std::string_view key, std::string_view value) {
  Statement row = TRY(connection.use(Query::set_local));
  row.bind_text(1, key).bind_text(2, value);
  return connection.run(row);
}

}  // namespace

Result<std::uint64_t> erasures(Connection& connection) {
  std::uint64_t count = 0;
  Statement row = TRY(connection.use(Query::local));
  row.bind_text(1, kErasures);
  if (TRY(connection.next(row))) {
    const std::string_view text = row.bytes(0);
    std::from_chars(text.data(), text.data() + text.size(), count);
  }
  return count;
}

Result<void> count_erasure(Connection& connection) {
  const std::string next = std::to_string(TRY(erasures(connection)) + 1);
  return set(connection, kErasures, next);
}

Result<void> note_unfinished_erasure(Connection& connection) {
  return set(connection, kUnfinishedErasure, "yes");
}

Result<void> note_stale_dictionaries(Connection& connection) {
  return set(connection, kStaleDictionaries, "yes");
}

Result<bool> has_stale_dictionaries(Connection& connection) {
  Statement row = TRY(connection.use(Query::local));
  return connection.next(row.bind_text(1, kStaleDictionaries));
}

Result<void> dictionaries_are_fresh(Connection& connection) {
  Statement row = TRY(connection.use(Query::drop_local));
  return connection.run(row.bind_text(1, kStaleDictionaries));
}

}  // namespace spoor::store::sqlite
