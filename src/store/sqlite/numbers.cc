#include "store/sqlite/numbers.h"

#include <limits>
#include <string>

#include <fmt/format.h>

#include "store/lines.h"
#include "store/sqlite/keys.h"

namespace spoor::store::sqlite {

Result<std::int64_t> derived_number(Connection& connection, std::string_view key,
                                    std::string_view what) {
  Statement row = TRY(connection.use(Query::derived));
  row.bind_blob(1, key);
  if (!TRY(connection.next(row))) return std::int64_t{0};
  const auto number = parse_integer(row.bytes(0));
  if (!number) return corrupt(fmt::format("the number of {} is malformed", what), kRebuildHint);
  return static_cast<std::int64_t>(*number);
}

Result<void> set_derived_number(Connection& connection, std::string_view key, std::int64_t number) {
  const std::string digits = std::to_string(number);
  Statement set = TRY(connection.use(Query::set_derived));
  return connection.run(set.bind_blob(1, key).bind_blob(2, digits));
}

Result<std::int64_t> newest_number(Connection& connection) {
  Statement row = TRY(connection.use(Query::operations_down));
  row.bind(1, std::numeric_limits<std::int64_t>::max());
  if (!TRY(connection.next(row))) return std::int64_t{0};
  return row.integer(0);
}

}  // namespace spoor::store::sqlite
