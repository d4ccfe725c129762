// What several servers do that one does not: stores on each, and one store whose objects are on all
// of them. Each server has a small share of a core, so that it is the scarce thing.
#include <chrono>

#include <fmt/format.h>

#include "bench/clients.h"
#include "bench/cpu_limit.h"
#include "bench/figures.h"
#include "bench/workload.h"
#include "graph/repository.h"
#include "store/postgres/postgres_store.h"
#include "tests/store/postgres_server.h"

namespace spoor::bench {
namespace {

using store::PostgresServer;
using store::PostgresStore;
using store::postgres::Statement;

constexpr double kCores = 0.15;  // Of each server.
constexpr std::size_t kClients = 24;

// Runs statements, each by itself, in a database of a server.
void run_in(const PostgresServer& server, const std::string& database,
            const std::vector<std::string>& statements) {
  const auto connection = must(store::postgres::Connection::open(
      fmt::format("postgres:///{}?user=spoor&host={}", database, server.host())));
  for (const std::string& each : statements) {
    must(connection->run(Statement(each.c_str())).has_value(), each);
  }
}

// Makes a store whose objects are on three servers by their names: the first's own, and two tables
// of others through postgres_fdw. It is in databases of its own.
std::string make_spread(const std::vector<std::unique_ptr<PostgresServer>>& servers) {
  std::vector<std::string> steps = {
      "CREATE SCHEMA spoor", "CREATE EXTENSION postgres_fdw",
      // A primary key over all is refused: a part is a foreign table.
      "CREATE TABLE spoor.objects (store int4 NOT NULL, oid bytea NOT NULL, kind int2 NOT NULL, "
      "parent bytea, content bytea, body bytea NOT NULL) PARTITION BY HASH (oid)",
      "CREATE TABLE spoor.objects_0 PARTITION OF spoor.objects (PRIMARY KEY (store, oid)) "
      "FOR VALUES WITH (MODULUS 3, REMAINDER 0)"};
  const auto address_at = [&](std::size_t i) {
    return fmt::format("postgres:///spread?user=spoor&host={}", servers[i]->host());
  };
  // Not with the session's settings, which go with the first: it must be a transaction of its own.
  for (const auto& each : servers) {
    run_in(*each, "postgres", {"SELECT", "CREATE DATABASE spread"});
  }
  for (std::size_t i = 1; i < servers.size(); ++i) {
    must(PostgresStore::create(address_at(i), {}));  // Its tables.
    steps.push_back(
        fmt::format("CREATE SERVER s{} FOREIGN DATA WRAPPER postgres_fdw "
                    "OPTIONS (host '{}', dbname 'spread')",
                    i, servers[i]->host()));
    steps.push_back(
        fmt::format("CREATE USER MAPPING FOR spoor SERVER s{} OPTIONS (user 'spoor')", i));
    steps.push_back(
        fmt::format("CREATE FOREIGN TABLE spoor.objects_{0} PARTITION OF spoor.objects "
                    "FOR VALUES WITH (MODULUS 3, REMAINDER {0}) SERVER s{0} "
                    "OPTIONS (schema_name 'spoor', table_name 'objects')",
                    i));
  }
  run_in(*servers.front(), "spread", steps);
  must(PostgresStore::create(address_at(0), {}));
  return address_at(0);
}

double compile_seconds(const std::string& address, std::size_t turns) {
  const auto repository = must(Repository::over(must(PostgresStore::open(address, {})), {}));
  auto branch = repository->branch("long");
  std::vector<compile::Turn> all;
  for (std::size_t i = 0; i < turns; ++i) {
    all.push_back({.type = i % 2 == 0 ? compile::Type::user : compile::Type::assistant,
                   .text = turn_text(0, i)});
  }
  must(branch.commit(std::move(all)));
  const auto cold = must(Repository::over(must(PostgresStore::open(address, {})), {}));
  const auto tip = must(cold->branch("long").tip());
  const auto begin = std::chrono::steady_clock::now();
  must(must(cold->compile(tip, {})).messages.size() == turns, "not compiled");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void measure_servers(std::vector<Row>& rows) {
  std::vector<std::unique_ptr<PostgresServer>> servers;
  std::vector<std::string> stores;
  for (int i = 0; i < 3; ++i) {
    servers.push_back(PostgresServer::start(true));
    if (servers.back() == nullptr) return;  // It has said so.
  }
  const std::string spread = make_spread(servers);
  for (const auto& each : servers) {
    stores.push_back(each->new_address());
    must(PostgresStore::create(stores.back(), {}));
  }
  const std::size_t turns = sized(1'000);
  const double local = compile_seconds(stores.front(), turns);
  const double foreign = compile_seconds(spread, turns);

  std::vector<CpuLimit> limits;
  for (const auto& each : servers) {
    auto limit = CpuLimit::of(each->process(), kCores);
    if (limit) limits.push_back(std::move(*limit));
  }
  const bool is_limited = limits.size() == servers.size();
  const std::string what =
      is_limited ? fmt::format("each server has {} of a core", kCores) : "servers without limits";
  const std::size_t each = sized(1'500) / kClients + 1;
  std::vector<double> one;
  std::vector<double> three;
  std::vector<double> over;
  for (int round = 0; round < 3; ++round) {
    one.push_back(appended({stores.front()}, kClients, each));
    three.push_back(appended(stores, kClients, each));
    over.push_back(appended({spread}, kClients, each));
  }
  rows.push_back({fmt::format("PostgreSQL: {} clients, stores on three servers", kClients),
                  median(three), "/s", median(one), median(three) / median(one),
                  is_limited ? std::optional(2.5) : std::nullopt, Row::Want::at_least,
                  "floor: a store on one; " + what});
  rows.push_back(
      {fmt::format("PostgreSQL: {} clients, one store's objects on three servers", kClients),
       median(over), "/s", median(one), median(over) / median(one), std::nullopt,
       Row::Want::at_least, "floor: all on one; partitions by postgres_fdw, " + what});
  rows.push_back({fmt::format("PostgreSQL: its compile of {} turns, cold", turns), foreign * 1e3,
                  "ms", local * 1e3, foreign / local, std::nullopt, Row::Want::at_most,
                  "floor: all on one; neither has a limit"});
}

}  // namespace spoor::bench
