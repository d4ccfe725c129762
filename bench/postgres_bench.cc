// What a store in PostgreSQL costs above the statements that it cannot do without, on one server.
#include <chrono>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "bench/figures.h"
#include "bench/workload.h"
#include "graph/repository.h"
#include "store/postgres/address.h"
#include "store/postgres/postgres_store.h"
#include "tests/store/postgres_server.h"

namespace spoor::bench {
namespace {

using store::PostgresServer;
using store::PostgresStore;
using store::postgres::Statement;

// Runs `work` in several threads, and returns how often a second all of them did it together.
double rate_of(std::size_t clients, std::size_t each,
               const std::function<void(std::size_t client)>& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) threads.emplace_back([&work, i] { work(i); });
  for (auto& thread : threads) thread.join();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(clients * each) / taken.count();
}

std::string turn_text(std::size_t client, std::size_t number) {
  std::string text = fmt::format("client {} says {}: ", client, number);
  while (text.size() < 600) text += "the quick brown fox jumps over the lazy dog. ";
  text.resize(600);
  return text;
}

// Appends turns, each client on a branch of its own; `in_turn`: one client at a time, as where all
// operations are one chain.
double appended(const std::string& address, std::size_t clients, std::size_t each, bool in_turn) {
  std::vector<std::unique_ptr<Repository>> repositories;
  for (std::size_t i = 0; i < clients; ++i) {
    repositories.push_back(must(Repository::over(must(PostgresStore::open(address, {})), {})));
  }
  return rate_of(clients, each, [&](std::size_t client) {
    auto branch = repositories[client]->branch(fmt::format("{}-{}-{}", clients, in_turn, client));
    for (std::size_t i = 0; i < each; ++i) {
      const auto append = [&]() -> Result<void> {
        TRY(branch.commit({.type = compile::Type::user, .text = turn_text(client, i)}));
        return {};
      };
      must(in_turn ? repositories[client]->store().exclusive(append).has_value()
                   : append().has_value(),
           "a turn was not appended");
    }
  });
}

// The rows of such a turn and nothing else, in one statement.
double inserted(const std::string& address, std::size_t clients, std::size_t each) {
  constexpr auto kInsert = R"(
    WITH o AS (INSERT INTO spoor.objects (store, oid, kind, parent, content, body)
      VALUES (0, $1, 0, NULL, NULL, $4), (0, $2, 2, $1, $2, $5)),
    m AS (INSERT INTO spoor.moves VALUES (0, $6, $7, $3)),
    r AS (INSERT INTO spoor.refs VALUES (0, $6, $7, $2, $3, $7) ON CONFLICT (store, name)
      DO UPDATE SET number = $7, target = $2, operation = $3, at = $7)
    INSERT INTO spoor.operations (store, name, at, body) VALUES (0, $3, $7, $5))";
  std::vector<std::unique_ptr<store::postgres::Connection>> connections;
  for (std::size_t i = 0; i < clients; ++i) {
    connections.push_back(must(
        store::postgres::Connection::open(must(store::postgres::parse_address(address)).server)));
  }
  return rate_of(clients, each, [&](std::size_t client) {
    const std::string ref = fmt::format("refs/heads/{}-{}", clients, client);
    for (std::size_t i = 0; i < each; ++i) {
      const auto name = [&](const char* of) {
        return store::object_name(store::Kind::blob, fmt::format("{} {} {}", ref, of, i));
      };
      Statement insert(kInsert);
      insert.add(name("content")).add(name("commit")).add(name("operation"));
      insert.add(std::string_view(turn_text(client, i)))
          .add(std::string_view(std::string(280, 'c')));
      insert.add(std::string_view(ref)).add(static_cast<std::int64_t>(i + 1));
      must(connections[client]->run(insert).has_value(), "the statement failed");
    }
  });
}

void measure_appends(const std::string& address, std::vector<Row>& rows) {
  for (const std::size_t clients : {1U, 8U, 32U}) {
    const std::size_t each = sized(2'400) / clients + 1;
    const double floor = inserted(address, clients, each);
    const double ours = appended(address, clients, each, false);
    rows.push_back(
        {fmt::format("PostgreSQL: appends of {} client{}", clients, clients == 1 ? "" : "s"), ours,
         "/s", floor, ours / floor, 0.8, Row::Want::at_least,
         "floor: a statement with the same rows"});
  }
  const std::size_t each = sized(800) / 8 + 1;
  const double one_log = appended(address, 8, each, true);
  const double ours = appended(address, 8, each, false);
  rows.push_back({"PostgreSQL: 8 clients, each on a branch", ours, "/s", one_log, ours / one_log,
                  15.0, Row::Want::at_least, "floor: the same, one at a time, as in one log"});
}

void measure_compile(const std::string& address, std::vector<Row>& rows) {
  const std::size_t turns = sized(10'000);
  {
    const auto repository = must(Repository::over(must(PostgresStore::open(address, {})), {}));
    auto branch = repository->branch("long");
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < turns; i += 500) {
      std::vector<compile::Turn> some;
      for (std::size_t j = i; j < std::min(i + 500, turns); ++j) {
        some.push_back({.type = j % 2 == 0 ? compile::Type::user : compile::Type::assistant,
                        .text = turn_text(0, j)});
      }
      must(branch.commit(std::move(some)));
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    rows.push_back({"PostgreSQL: turns appended, 500 a transaction",
                    static_cast<double>(turns) / taken.count(), "/s", 0, 0, std::nullopt,
                    Row::Want::at_least, ""});
  }
  auto opened = must(PostgresStore::open(address, {}));
  const PostgresStore& store = *opened;
  const auto repository = must(Repository::over(std::move(opened), {}));
  const auto tip = must(repository->branch("long").tip());
  const std::uint64_t before = store.round_trips();
  const auto begin = std::chrono::steady_clock::now();
  must(must(repository->compile(tip, {})).messages.size() == turns, "not compiled");
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  rows.push_back({fmt::format("PostgreSQL: compile of {} turns, cold", turns), taken.count(), "ms",
                  0, 0, std::nullopt, Row::Want::at_most, ""});
  const auto trips = static_cast<double>(store.round_trips() - before);
  rows.push_back({"PostgreSQL: round trips of that", trips, "", 1, trips, 3.0, Row::Want::at_most,
                  "floor: one"});
}

}  // namespace

void measure_postgres(std::vector<Row>& rows) {
  const auto server = PostgresServer::start(true);
  if (server == nullptr) return;  // It has said so.
  const std::string address = server->new_address();
  must(PostgresStore::create(address, {}));
  measure_appends(address, rows);
  measure_compile(address, rows);
}

}  // namespace spoor::bench
