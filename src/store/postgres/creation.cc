#include "store/postgres/creation.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/postgres/key_database.h"
#include "store/postgres/seal.h"
#include "store/sha256.h"

namespace spoor::store::postgres {
namespace {

constexpr auto kMakeDraft = R"(
  WITH made AS (
    INSERT INTO spoor.stores (name)
    SELECT $1 WHERE NOT EXISTS (SELECT FROM spoor.stores WHERE name = $4) RETURNING id)
  INSERT INTO spoor.properties
  SELECT id, key, value FROM made,
    (VALUES ('keys'::bytea, $2), ('keys.made'::bytea, $3)) AS p(key, value) RETURNING store)";
constexpr auto kFindDraft = R"(
  SELECT s.id, k.value, m.value FROM spoor.stores s
  JOIN spoor.properties k ON k.store = s.id AND k.key = 'keys'
  JOIN spoor.properties m ON m.store = s.id AND m.key = 'keys.made' WHERE s.name = $1)";
constexpr auto kForgetDraft = R"(
  DELETE FROM spoor.properties
  WHERE key = 'keys.made' AND store = (SELECT id FROM spoor.stores WHERE name = $1))";
constexpr auto kRenameDraft = R"(
  UPDATE spoor.stores SET name = $2
  WHERE name = $1 AND NOT EXISTS (SELECT FROM spoor.stores WHERE name = $2) RETURNING id)";

Error is_there(std::string_view name) {
  return conflict(fmt::format("the database has a store '{}'", name),
                  "choose another name with '?store=NAME'");
}

// Removes a store that was not made to the end, and its keys.
Result<void> remove_draft(Connection& connection, std::string_view draft,
                          const Patience& patience) {
  Statement find(kFindDraft);
  const Rows rows = TRY(connection.run(find.add(draft)));
  if (rows.size() == 0) return {};
  const auto keys = TRY(parse_address(std::string(rows.bytes(0, 1))));
  TRY(KeyDatabase::remove_unused(keys, rows.bytes(0, 2), patience));
  std::vector<Statement> steps;
  for (const auto* step : {"DELETE FROM spoor.properties WHERE store = $1",
                           "DELETE FROM spoor.stores WHERE id = $1"}) {
    steps.push_back(std::move(Statement(step).add(rows.number(0, 0))));
  }
  TRY(connection.run(steps));
  return {};
}

}  // namespace

Result<void> make_store(Connection& connection, std::string_view name) {
  Statement insert(
      "INSERT INTO spoor.stores (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1");
  if (TRY(connection.run(insert.add(name))).size() == 0) return is_there(name);
  return {};
}

Result<void> make_sealed(Connection& connection, const std::string& name, const std::string& keys,
                         const Patience& patience) {
  const auto of_keys = TRY(parse_address(keys));
  const std::string draft = name + " (being made)";
  TRY(connection.run(Statement("SELECT pg_advisory_lock(1936748401, 1)")));  // While connected.
  TRY(remove_draft(connection, draft, patience));
  const Key cache = random_key();
  Statement make(kMakeDraft);
  make.add(std::string_view(draft)).add(std::string_view(keys));
  make.add(sha256(view_of(cache))).add(std::string_view(name));
  if (TRY(connection.run(make)).size() == 0) return is_there(name);
  auto made = KeyDatabase::create(of_keys, cache, connection, patience);
  if (made) {
    Statement forget(kForgetDraft);
    Statement rename(kRenameDraft);
    forget.add(std::string_view(name));
    rename.add(std::string_view(draft)).add(std::string_view(name));
    if (TRY(connection.run({rename, forget})).front().size() > 0) return {};
    made = is_there(name);
  }
  (void)remove_draft(connection, draft, patience);  // Else who comes next does.
  return made;
}

}  // namespace spoor::store::postgres
