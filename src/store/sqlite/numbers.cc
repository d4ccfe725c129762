#include "store/sqlite/numbers.h"

#include <string>

#include <fmt/format.h>

#include "store/lines.h"
#include "store/sqlite/keys.h"

namespace spoor::store::sqlite {

Result<std::optional<std::string>> derived(Connection& connection, std::string_view key) {
  Statement row = TRY(connection.use(Query::derived));
  if (!TRY(connection.next(row.bind_blob(1, key)))) return std::optional<std::string>();
  return std::optional(std::string(row.bytes(0)));
}

Result<void> set_derived(Connection& connection, std::string_view key, std::string_view value) {
  Statement set = TRY(connection.use(Query::set_derived));
  return connection.run(set.bind_blob(1, key).bind_blob(2, value));
}

Result<std::int64_t> derived_number(Connection& connection, std::string_view key,
                                    std::string_view what) {
  const auto digits = TRY(derived(connection, key));
  if (!digits) return std::int64_t{0};
  const auto number = parse_integer(*digits);
  if (!number) return corrupt(fmt::format("the number of {} is malformed", what), kRebuildHint);
  return static_cast<std::int64_t>(*number);
}

Result<void> set_derived_number(Connection& connection, std::string_view key, std::int64_t number) {
  return set_derived(connection, key, std::to_string(number));
}

Result<std::int64_t> newest_number(Connection& connection) {
  Statement row = TRY(connection.use(Query::newest_number));
  if (!TRY(connection.next(row))) return std::int64_t{0};
  return row.integer(0);
}

}  // namespace spoor::store::sqlite
