#include "store/postgres/key_database.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "store/postgres/schema.h"
#include "store/postgres/seal.h"

namespace spoor::store::postgres {
namespace {

constexpr auto kMostNodes = 16'384;  // In an answer to who has none yet.
constexpr std::size_t kDestroyedAtOnce = 500;

const std::string kOwnSchema = own_schema("spoor_keys");
const Statement kKeyTables[] = {
    Statement("SELECT pg_advisory_xact_lock(1936748402, 0)"),
    Statement("CREATE SCHEMA IF NOT EXISTS spoor_keys"),
    Statement(kOwnSchema.c_str()),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor_keys.rings (
      id int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name bytea UNIQUE NOT NULL, cache bytea NOT NULL))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor_keys.nodes (
      ring int4 NOT NULL, first bytea NOT NULL, depth int2 NOT NULL, seed bytea NOT NULL,
      PRIMARY KEY (ring, first)))"),
    Statement("CREATE INDEX IF NOT EXISTS nodes_by_depth ON spoor_keys.nodes (ring, depth)"),
};
constexpr auto kFind = R"(
  SELECT q.address, n.first, n.depth::int8, n.seed FROM unnest($2::bytea[]) AS q(address)
  CROSS JOIN LATERAL (SELECT first, depth, seed FROM spoor_keys.nodes
    WHERE ring = $1 AND first <= q.address ORDER BY first DESC LIMIT 1) n)";
constexpr auto kFindLargest = R"(
  SELECT first, first, depth::int8, seed FROM spoor_keys.nodes
  WHERE ring = $1 ORDER BY depth LIMIT $2)";
constexpr auto kLockRing = "SELECT pg_advisory_xact_lock(1936748402, $1::int4)";
constexpr auto kAdd = R"(
  INSERT INTO spoor_keys.nodes (ring, first, depth, seed)
  SELECT $1, first, depth::int2, seed
  FROM unnest($2::bytea[], $3::int8[], $4::bytea[]) AS g(first, depth, seed))";
constexpr auto kMakeKeys = R"(
  WITH made AS (
    INSERT INTO spoor_keys.rings (name, cache) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id)
  INSERT INTO spoor_keys.nodes (ring, first, depth, seed) SELECT id, $3, 0, $4 FROM made
  RETURNING ring)";
constexpr auto kDropUnusedNodes = R"(
  DELETE FROM spoor_keys.nodes WHERE ring IN (
    SELECT id FROM spoor_keys.rings WHERE name = $1 AND sha256(cache) = $2))";
constexpr auto kDropUnusedRing =
    "DELETE FROM spoor_keys.rings WHERE name = $1 AND sha256(cache) = $2";
constexpr auto kMayDestroy =
    "SELECT (has_table_privilege('spoor_keys.nodes', 'INSERT') AND "
    "has_table_privilege('spoor_keys.nodes', 'DELETE') AND "
    "has_table_privilege('spoor_keys.rings', 'UPDATE') AND NOT pg_is_in_recovery())::int4";
constexpr auto kServer = "SELECT system_identifier FROM pg_control_system()";

std::string bytes_of(std::uint64_t address) {
  std::string bytes;
  append_big_endian(bytes, address, sizeof address);
  return bytes;
}

Statement& add_addresses(Statement& to, std::span<const std::uint64_t> addresses) {
  std::vector<std::string> bytes;
  bytes.reserve(addresses.size());
  for (const std::uint64_t each : addresses) bytes.push_back(bytes_of(each));
  return to.add(std::vector<std::string_view>(bytes.begin(), bytes.end()));
}

std::optional<Key> key_at(const Rows& rows, std::size_t row, int column) {
  const auto bytes = rows.oid(row, column);  // As many as a name has.
  return bytes ? std::optional(bytes->bytes) : std::nullopt;
}

// Adds the nodes of rows (address, first, depth, seed) that cover their addresses.
Result<void> read_nodes(const Rows& rows, std::vector<KeyNode>& nodes) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto seed = key_at(rows, i, 3);
    const std::int64_t depth = rows.number(i, 2);
    if (!seed || depth < 0 || depth > 64) return not_spoors("a key");
    const KeyNode node{big_endian(rows.bytes(i, 1)), static_cast<unsigned>(depth), *seed};
    if (node.covers(big_endian(rows.bytes(i, 0)))) nodes.push_back(node);
  }
  return {};
}

Error about_keys(Error error) {
  error.message = "the database of the keys: " + error.message;
  // An object that is not found was erased; one whose key cannot be asked for is not.
  if (error.code == Error::Code::not_found) error.code = Error::Code::io;
  return error;
}

}  // namespace

Result<void> KeyDatabase::create(const Address& address, const Key& cache, Connection& store,
                                 const Patience& patience) {
  auto connection = Connection::open(address.server, patience);
  if (!connection) return about_keys(connection.error());
  Connection& keys = **connection;
  const auto here = keys.run(Statement(kServer));
  const auto there = store.run(Statement(kServer));
  if (here && there && here->bytes(0, 0) == there->bytes(0, 0)) {
    return invalid("the keys would be on the server of the store, whose backups have both",
                   "name a database of another server");
  }
  std::vector<Statement> steps(std::begin(kKeyTables), std::end(kKeyTables));
  Statement ring(kMakeKeys);
  ring.add(std::string_view(address.store)).add(view_of(cache));
  steps.push_back(ring.add(std::string_view(bytes_of(0))).add(view_of(random_key())));
  const auto made = keys.run(steps);
  if (!made) return about_keys(made.error());
  if (made->back().size() > 0) return {};
  return conflict(fmt::format("the database of the keys has a store '{}'", address.store),
                  "each store has its own: choose another name with '?store=NAME'");
}

Result<void> KeyDatabase::remove_unused(const Address& address, std::string_view cache,
                                        const Patience& patience) {
  auto connection = Connection::open(address.server, patience);
  if (!connection) return about_keys(connection.error());
  std::vector<Statement> steps;
  for (const auto* step : {kDropUnusedNodes, kDropUnusedRing}) {
    Statement drop(step);
    steps.push_back(drop.add(std::string_view(address.store)).add(cache));
  }
  const auto done = (*connection)->run(steps);
  const bool has_none = !done && done.error().code == Error::Code::not_found;  // No tables.
  return done || has_none ? Result<void>() : about_keys(done.error());
}

Result<void> KeyDatabase::remove() {
  return ask([&](Connection& connection) -> Result<void> {
    TRY(connection.run({about("DELETE FROM spoor_keys.nodes WHERE ring = $1"),
                        about("DELETE FROM spoor_keys.rings WHERE id = $1")}));
    return {};
  });
}

Result<void> KeyDatabase::connect() {
  if (connection_ != nullptr && connection_->is_lost()) connection_.reset();
  if (connection_ != nullptr) return {};
  auto connection = TRY(Connection::open(address_.server, patience_));
  Statement find("SELECT id FROM spoor_keys.rings WHERE name = $1");
  const Rows found = TRY(connection->run(find.add(std::string_view(address_.store))));
  if (found.size() == 0) return not_found(fmt::format("it has no store '{}'", address_.store));
  ring_ = found.number(0, 0);
  connection_ = std::move(connection);
  return {};
}

// Runs `body`, again if the server went away, and until it succeeds or patience ends.
template <class Body>
auto KeyDatabase::ask(const Body& body) -> decltype(body(std::declval<Connection&>())) {
  using Remedy = Connection::Remedy;
  std::optional<Wait> wait;
  is_noticed_ = false;
  while (true) {
    std::optional<Error> problem;
    Remedy remedy = Remedy::reconnect;
    auto begin = Wait::Clock::now();
    if (auto ready = connect(); !ready) {
      problem = about_keys(ready.error());
      if (problem->code != Error::Code::unavailable) return *problem;
    } else {
      auto done = body(*connection_);
      if (done) return done;
      problem = about_keys(done.error());
      remedy = connection_->remedy();
      if (remedy == Remedy::none || problem->code == Error::Code::interrupted) return *problem;
      begin = Wait::Clock::now();
    }
    if (remedy == Remedy::reconnect) connection_.reset();
    if (!wait) wait.emplace(patience_, begin);
    TRY(wait->pause(*problem));
  }
}

Result<std::vector<KeyNode>> KeyDatabase::find(std::span<const std::uint64_t> addresses) {
  return ask([&](Connection& connection) -> Result<std::vector<KeyNode>> {
    Statement find = about(addresses.empty() ? kFindLargest : kFind);
    if (addresses.empty()) find.add(std::int64_t{kMostNodes});
    if (!addresses.empty()) add_addresses(find, addresses);
    std::vector<KeyNode> nodes;
    TRY(read_nodes(TRY(connection.run(find)), nodes));
    return nodes;
  });
}

Result<Key> KeyDatabase::find_cache_key() {
  return ask([&](Connection& connection) -> Result<Key> {
    const Rows rows =
        TRY(connection.run(about("SELECT cache FROM spoor_keys.rings WHERE id = $1")));
    const auto key = rows.size() == 0 ? std::nullopt : key_at(rows, 0, 0);
    if (!key) return not_spoors("the key of cached data");
    return *key;
  });
}

Result<void> KeyDatabase::prepare_to_destroy() {
  return ask([&](Connection& connection) -> Result<void> {
    if (TRY(connection.run(Statement(kMayDestroy))).number(0, 0) == 1) return {};
    return denied("this user may not destroy keys",
                  "the role of the address must have been granted this");
  });
}

Result<void> KeyDatabase::destroy(std::span<const std::uint64_t> addresses) {
  for (std::size_t done = 0; done < addresses.size(); done += kDestroyedAtOnce) {
    const auto some = addresses.subspan(done, std::min(kDestroyedAtOnce, addresses.size() - done));
    TRY(ask([&](Connection& connection) {
      auto destroyed = destroy_some(connection, some);
      if (!destroyed) connection.roll_back();
      return destroyed;
    }));
  }
  // Deleted rows leave the files with this. Who may not is only warned by the server.
  for (const auto* table : {"VACUUM FULL spoor_keys.nodes", "VACUUM FULL spoor_keys.rings"}) {
    TRY(ask([&](Connection& connection) { return connection.run(Statement(table)); }));
  }
  return {};
}

Result<void> KeyDatabase::destroy_some(Connection& connection,
                                       std::span<const std::uint64_t> addresses) const {
  Statement find = about(kFind);
  const auto found =
      TRY(connection.run({Statement("BEGIN"), about(kLockRing), add_addresses(find, addresses)}));
  std::vector<KeyNode> nodes;
  TRY(read_nodes(found.back(), nodes));
  KeyTree tree;
  std::vector<std::uint64_t> old;
  for (const KeyNode& each : nodes) {
    tree.add(each);
    old.push_back(each.first);
  }
  for (const std::uint64_t each : addresses) tree.destroy(each);
  std::vector<std::uint64_t> firsts;
  std::vector<std::int64_t> depths;
  std::vector<std::string_view> seeds;
  for (const auto& [first, node] : tree.nodes()) {
    firsts.push_back(first);
    depths.push_back(node.depth);
    seeds.push_back(view_of(node.seed));
  }
  Statement drop = about("DELETE FROM spoor_keys.nodes WHERE ring = $1 AND first = ANY($2)");
  Statement add = about(kAdd);
  add_addresses(add, firsts).add(depths).add(seeds);
  Statement renew = about("UPDATE spoor_keys.rings SET cache = $2 WHERE id = $1");
  TRY(connection.run(
      {add_addresses(drop, old), add, renew.add(view_of(random_key())), Statement("COMMIT")}));
  return {};
}

}  // namespace spoor::store::postgres
