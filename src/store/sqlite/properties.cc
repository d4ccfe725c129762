#include "store/sqlite/properties.h"

#include "store/sqlite/erasures.h"
#include "store/sqlite/local_facts.h"

namespace spoor::store::sqlite {

Result<std::uint64_t> epoch(Connection& connection) {
  return TRY(erasures(connection)) + TRY(local_number(connection, kPropertyChanges));
}

Result<Properties> properties(Connection& connection, std::span<const std::string_view> keys) {
  const std::uint64_t erased = TRY(erasures(connection));
  Properties found{erased + TRY(local_number(connection, kPropertyChanges)), erased, {}};
  for (const std::string_view key : keys) found.values.push_back(TRY(local_fact(connection, key)));
  return found;
}

Result<void> set_properties(Connection& connection, std::span<const PropertyChange> changes) {
  if (changes.empty()) return {};
  for (const auto& [key, value] : changes) TRY(set_local_fact(connection, key, value));
  const std::uint64_t before = TRY(local_number(connection, kPropertyChanges));
  return set_local_fact(connection, kPropertyChanges, std::to_string(before + 1));
}

}  // namespace spoor::store::sqlite
