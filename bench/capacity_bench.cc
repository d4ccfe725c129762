// What turns take of a PostgreSQL server: bytes in its tables and indexes, in its write-ahead log,
// and processor time. docs/scale.md multiplies it.
#include <unistd.h>

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "bench/clients.h"
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

double number_of(store::postgres::Connection& connection, const std::string& query) {
  const auto rows = must(connection.run(Statement(query.c_str())));
  return static_cast<double>(rows.number(0, 0));
}

// Bytes of a table and of its indexes; of all tables without a name.
struct TableSize {
  double table = 0;
  double indexes = 0;
  double all() const { return table + indexes; }
};

TableSize size_of(const PostgresServer& server, const std::string& table = "") {
  const auto connection = must(
      store::postgres::Connection::open("postgres:///postgres?user=spoor&host=" + server.host()));
  Statement sum(
      "SELECT sum(pg_table_size(oid))::int8, sum(pg_indexes_size(oid))::int8 FROM pg_class "
      "WHERE relnamespace = 'spoor'::regnamespace AND relkind = 'r' "
      "AND (length($1) = 0 OR relname = convert_from($1, 'UTF8'))");
  const auto rows = must(connection->run(sum.add(std::string_view(table))));
  return {static_cast<double>(rows.number(0, 0)), static_cast<double>(rows.number(0, 1))};
}

double wal_position(const PostgresServer& server) {
  const auto connection = must(
      store::postgres::Connection::open("postgres:///postgres?user=spoor&host=" + server.host()));
  return number_of(*connection, "SELECT (pg_current_wal_insert_lsn() - '0/0')::int8");
}

// Seconds of processor time of a server's connections that have ended.
double processor_seconds_of(const PostgresServer& server) {
  ::usleep(300'000);  // Until it has seen their ends.
  std::ifstream file(fmt::format("/proc/{}/stat", server.process()));
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  double user = 0;
  double system = 0;
  std::string skipped;
  for (int i = 0; i < 13; ++i) fields >> skipped;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Reads the log, which gives operations their numbers, and cleans up, as autovacuum would.
void settle(const std::string& address) {
  const auto store = must(PostgresStore::open(address, {}));
  must(store->newest_operation());
  must(store->compact());
}

void add_figure(std::vector<Row>& rows, const std::string& name, double value,
                const std::string& unit, double floor, const std::string& note) {
  rows.push_back({name, value, unit, floor, floor > 0 ? value / floor : 0, std::nullopt,
                  Row::Want::at_most, note});
}

void measure_turns(std::vector<Row>& rows) {
  const auto server = PostgresServer::start(false);
  if (server == nullptr) return;
  const std::string address = server->new_address();
  must(PostgresStore::create(address, {}));
  const std::size_t clients = 4;
  const std::size_t conversations = 1'000;
  const std::size_t each = sized(100'000) / conversations;  // Turns of each.
  const double turns = static_cast<double>(conversations * each);
  const double began = processor_seconds_of(*server);
  double log = 0;
  double work = 0;
  for (std::size_t round = 0; round < 10; ++round) {
    const double before = wal_position(*server);
    rate_of(clients, each, [&](std::size_t client) {
      const auto repository = must(Repository::over(must(PostgresStore::open(address, {})), {}));
      for (std::size_t i = client; i < conversations / 10; i += clients) {
        const std::size_t conversation = round * conversations / 10 + i;
        auto branch = repository->branch(fmt::format("conversation-{}", conversation));
        for (std::size_t turn = 0; turn < each; ++turn) {
          must(
              branch.commit({.type = turn % 2 == 0 ? compile::Type::user : compile::Type::assistant,
                             .text = turn_text(conversation, turn)}));
        }
      }
    });
    log += wal_position(*server) - before;
    work = processor_seconds_of(*server) - began;
    settle(address);
  }
  const TableSize all = size_of(*server);
  add_figure(rows, "bytes a turn of 600, stored", all.all() / turns, "B", 600,
             fmt::format("floor: its text; {:.0f} turns, each an operation", turns));
  for (const char* table : {"objects", "operations", "moves", "refs"}) {
    const TableSize size = size_of(*server, table);
    add_figure(rows, fmt::format("… in {}", table), size.table / turns, "B", 0, "");
    add_figure(rows, fmt::format("… in the indexes of {}", table), size.indexes / turns, "B", 0,
               "");
  }
  add_figure(rows, "bytes a turn in the write-ahead log", log / turns, "B", 600,
             "floor: its text; full pages included");
  add_figure(rows, "processor time of the server a turn", work / turns * 1e6, "µs", 0,
             "numbering and VACUUM included");
}

// What conversations that begin with the same 110 kB of instructions and tools add.
void measure_shared(std::vector<Row>& rows) {
  const auto server = PostgresServer::start(false);
  if (server == nullptr) return;
  const std::string address = server->new_address();
  must(PostgresStore::create(address, {}));
  std::string block;
  for (const std::string& text : make_texts(1'000)) block += text;
  block.resize(110'000);
  const std::size_t conversations = sized(500) + 1;
  const auto begin = [&](const std::string& kind, const std::string& first) {
    const auto repository = must(Repository::over(must(PostgresStore::open(address, {})), {}));
    for (std::size_t i = 0; i < conversations; ++i) {
      auto branch = repository->branch(fmt::format("{}-{}", kind, i));
      std::vector<compile::Turn> turns = {{.type = compile::Type::system, .text = first},
                                          {.type = compile::Type::user, .text = turn_text(i, 0)}};
      must(branch.commit(std::move(turns)));
    }
    settle(address);
    return size_of(*server).all();
  };
  const double empty = begin("first", block);  // The block is there once.
  const double small = begin("small", "Be brief.");
  const double before = wal_position(*server);
  const double large = begin("large", block);
  const double logged = wal_position(*server) - before;
  const auto count = static_cast<double>(conversations);
  add_figure(rows, "bytes that a conversation begins with", (large - small) / count, "B",
             (small - empty) / count,
             "the same 110,000 bytes of instructions, and a turn; floor: the same with 9 bytes");
  add_figure(rows, "… and writes to the write-ahead log", logged / count, "B", 110'000,
             "floor: those bytes");
}

// Sessions of agents as they were recorded.
void measure_real(std::vector<Row>& rows) {
  const auto sets = real_sessions();
  if (sets.empty()) return;
  const auto server = PostgresServer::start(false);
  if (server == nullptr) return;
  const std::string address = server->new_address();
  run_seconds({SPOOR_PROGRAM, "--store", address, "init"});
  for (const auto& set : sets) run_seconds({SPOOR_PROGRAM, "--store", address, "import", set});
  settle(address);
  const auto repository = must(Repository::over(must(PostgresStore::open(address, {})), {}));
  double commits = 0;
  double texts = 0;
  must(repository->store().scan([&](const store::StoredObject& each) {
    if (each.object.kind == store::Kind::commit) ++commits;
    if (each.object.kind == store::Kind::blob)
      texts += static_cast<double>(each.object.body.size());
    return true;
  }));
  must(commits > 0, "no session was imported");
  add_figure(rows, "bytes a commit of real sessions, stored", size_of(*server).all() / commits, "B",
             texts / commits,
             fmt::format("floor: their distinct contents; {:.0f} commits", commits));
}

}  // namespace

void measure_capacity(std::vector<Row>& rows) {
  measure_turns(rows);
  measure_shared(rows);
  measure_real(rows);
}

}  // namespace spoor::bench
