#include "store/sqlite/local_facts.h"

#include "store/lines.h"

namespace spoor::store::sqlite {

Result<std::optional<std::string>> local_fact(Connection& connection, std::string_view key) {
  Statement row = TRY(connection.use(Query::local));
  if (!TRY(connection.next(row.bind_text(1, key)))) return std::optional<std::string>();
  return std::optional(std::string(row.bytes(0)));
}

Result<std::uint64_t> local_number(Connection& connection, std::string_view key) {
  const auto text = TRY(local_fact(connection, key));
  return text ? parse_integer(*text).value_or(0) : 0;
}

Result<void> set_local_fact(Connection& connection, std::string_view key,
                            std::optional<std::string_view> value) {
  Statement row = TRY(connection.use(value ? Query::set_local : Query::drop_local));
  row.bind_text(1, key);
  if (value) row.bind_text(2, *value);
  return connection.run(row);
}

}  // namespace spoor::store::sqlite
