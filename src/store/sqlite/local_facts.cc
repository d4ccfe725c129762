#include "store/sqlite/local_facts.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/lines.h"
#include "store/sha256.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/numbers.h"

namespace spoor::store::sqlite {
namespace {

// No hash covers these facts, so each has a seal in another table. The records of puts have none:
// they are many, and only gc reads them.
std::string seal_key(std::string_view key) { return std::string(kLocalSealPrefix).append(key); }

std::string seal_of(std::string_view key, std::string_view value) {
  return std::string(sha256(fmt::format("{} {}", key, value)).view());
}

bool has_seal(std::string_view key) { return !key.starts_with("put "); }

Result<void> seal(Connection& connection, std::string_view key, std::string_view value) {
  return set_derived(connection, seal_key(key), seal_of(key, value));
}

// Accepts a fact without a seal, which an older spoor set.
Result<void> check_seal(Connection& connection, std::string_view key,
                        const std::optional<std::string>& value) {
  const auto seal = TRY(derived(connection, seal_key(key)));
  if (!seal || (value && *seal == seal_of(key, *value))) return {};
  return corrupt(fmt::format("the store's fact '{:.64}' is not what was set", key), kRebuildHint);
}

}  // namespace

Result<std::optional<std::string>> local_fact(Connection& connection, std::string_view key) {
  std::optional<std::string> value;
  {
    Statement row = TRY(connection.use(Query::local));
    if (TRY(connection.next(row.bind_text(1, key)))) value = row.bytes(0);
  }
  TRY(check_seal(connection, key, value));
  return value;
}

Result<std::uint64_t> local_number(Connection& connection, std::string_view key) {
  const auto text = TRY(local_fact(connection, key));
  return text ? parse_integer(*text).value_or(0) : 0;
}

Result<void> set_local_fact(Connection& connection, std::string_view key,
                            std::optional<std::string_view> value) {
  {
    Statement row = TRY(connection.use(value ? Query::set_local : Query::drop_local));
    row.bind_text(1, key);
    if (value) row.bind_text(2, *value);
    TRY(connection.run(row));
  }
  if (!has_seal(key)) return {};
  if (value) return seal(connection, key, *value);
  const std::string name = seal_key(key);
  Statement row = TRY(connection.use(Query::drop_derived));
  return connection.run(row.bind_blob(1, name));
}

Result<void> seal_local_facts(Connection& connection) {
  std::vector<std::pair<std::string, std::string>> facts;
  {
    Statement rows = TRY(connection.use(Query::all_local));
    while (TRY(connection.next(rows))) facts.emplace_back(rows.bytes(0), rows.bytes(1));
  }
  for (const auto& [key, value] : facts) {
    if (has_seal(key)) TRY(seal(connection, key, value));
  }
  return {};
}

}  // namespace spoor::store::sqlite
