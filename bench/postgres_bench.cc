// What a store in PostgreSQL costs above the statements that it cannot do without, on one server.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "bench/clients.h"
#include "bench/figures.h"
#include "bench/workload.h"
#include "graph/repository.h"
#include "store/archive_reader.h"
#include "store/commit_head.h"
#include "store/postgres/address.h"
#include "store/postgres/postgres_store.h"
#include "store/quarantine.h"
#include "tests/store/postgres_server.h"

namespace spoor::bench {
namespace {

using store::PostgresServer;
using store::PostgresStore;
using store::postgres::Statement;

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
    const double ours = appended({address}, clients, each);
    rows.push_back(
        {fmt::format("PostgreSQL: appends of {} client{}", clients, clients == 1 ? "" : "s"), ours,
         "/s", floor, ours / floor, 0.8, Row::Want::at_least,
         "floor: a statement with the same rows"});
  }
  const std::size_t each = sized(800) / 8 + 1;
  const double one_log = appended({address}, 8, each, true);
  const double ours = appended({address}, 8, each);
  rows.push_back({"PostgreSQL: 8 clients, each on a branch", ours, "/s", one_log, ours / one_log,
                  15.0, Row::Want::at_least, "floor: the same, one at a time, as in one log"});
}

// Appends turns to the branch `long`, 500 a transaction. Returns how many a second.
double written(const std::string& address, std::size_t turns) {
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
  return static_cast<double>(turns) / taken.count();
}

struct Compiled {
  double milliseconds = 0;
  double round_trips = 0;
};

// Compiles that branch with a new handle.
Compiled compiled(const std::string& address, std::size_t turns) {
  auto opened = must(PostgresStore::open(address, {}));
  const PostgresStore& store = *opened;
  const auto repository = must(Repository::over(std::move(opened), {}));
  const auto tip = must(repository->branch("long").tip());
  const std::uint64_t before = store.round_trips();
  const auto begin = std::chrono::steady_clock::now();
  must(must(repository->compile(tip, {})).messages.size() == turns, "not compiled");
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  return {taken.count(), static_cast<double>(store.round_trips() - before)};
}

void measure_compile(const std::string& address, std::vector<Row>& rows) {
  const std::size_t turns = sized(10'000);
  rows.push_back({"PostgreSQL: turns appended, 500 a transaction", written(address, turns), "/s", 0,
                  0, std::nullopt, Row::Want::at_least, ""});
  const auto [taken, trips] = compiled(address, turns);
  rows.push_back({fmt::format("PostgreSQL: compile of {} turns, cold", turns), taken, "ms", 0, 0,
                  std::nullopt, Row::Want::at_most, ""});
  rows.push_back({"PostgreSQL: round trips of that", trips, "", 1, trips, 3.0, Row::Want::at_most,
                  "floor: one"});
}

template <class Number>
void add_number(std::string& bytes, Number number) {
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift));
  }
}

void add_field(std::string& bytes, std::string_view field) {
  add_number(bytes, static_cast<std::uint32_t>(field.size()));
  bytes += field;
}

// The objects as rows in the binary format of COPY
// (https://www.postgresql.org/docs/15/sql-copy.html), in a file that the server may read.
void write_rows(const std::vector<store::NewObject>& objects, const std::string& path) {
  std::string bytes("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  const auto add_name = [&](const std::optional<store::Oid>& oid) {
    oid ? add_field(bytes, oid->view()) : add_number<std::int32_t>(bytes, -1);
  };
  for (const store::NewObject& each : objects) {
    const bool is_commit = each.kind == store::Kind::commit;
    add_number<std::int16_t>(bytes, 6);
    add_field(bytes, std::string_view("\0\0\0\0", 4));
    add_name(each.oid);
    add_number<std::uint32_t>(bytes, 2);
    add_number(bytes, static_cast<std::int16_t>(each.kind));
    add_name(is_commit ? store::first_parent_of(each.body) : std::nullopt);
    add_name(is_commit ? store::content_of(each.body) : std::nullopt);
    add_field(bytes, each.body);
  }
  add_number<std::int16_t>(bytes, -1);
  std::ofstream file(path, std::ios::binary);
  must(static_cast<bool>(file << bytes << std::flush), "the rows were not written");
}

double wall_time_of(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Takes all objects as one change, in the parts of a Quarantine.
void put_all(store::Store& store, const std::vector<store::NewObject>& objects,
             const store::Oid& tip) {
  std::size_t done = 0;
  store::Transaction change{
      .refs = {{"refs/heads/imported", std::nullopt, tip}}, .actor = "bench", .command = "import"};
  change.more = [&]() -> Result<std::vector<store::NewObject>> {
    std::vector<store::NewObject> part;
    for (std::size_t bytes = 0; done < objects.size() && bytes < (4U << 20U); ++done) {
      part.push_back(objects[done]);
      bytes += objects[done].body.size();
    }
    return part;
  };
  must(store.commit(change));
}

// Takes an archive as `spoor import` does: all is verified aside before it enters the store.
void receive(store::Store& store, const std::string& archive, const std::string& folder,
             const store::Oid& tip) {
  const auto aside = must(store::Quarantine::open(store, folder));
  std::string_view left = archive;
  must(store::receive_archive(*aside, {}, [&](std::span<char> to) -> Result<std::size_t> {
    const std::size_t count = left.copy(to.data(), to.size());
    left.remove_prefix(count);
    return count;
  }));
  must(aside->commit({.refs = {{"refs/heads/imported", std::nullopt, tip}},
                      .actor = "bench",
                      .command = "import"}));
}

void measure_import(store::PostgresServer& server, std::vector<Row>& rows) {
  const std::size_t turns = sized(20'000);
  const ScratchFolder memory;
  const ScratchFolder folder(true);
  std::filesystem::permissions(folder.path(""), std::filesystem::perms(0755));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < turns; ++i) texts.push_back(turn_text(0, i));
  const auto source = make_store(memory.path("store"), texts);
  const store::Oid tip = *must(source->branch("main").tip());
  std::vector<store::NewObject> objects;
  must(source->store().scan([&](const store::StoredObject& each) {
    objects.push_back({each.oid, each.object.kind, each.object.body});
    return true;
  }));
  const std::string path = folder.path("rows");
  write_rows(objects, path);
  std::string archive;
  must(store::write_archive(source->store(), {.refs = {{"refs/heads/main", tip}}},
                            [&](std::string_view bytes) -> Result<void> {
                              archive += bytes;
                              return {};
                            }));

  const std::string copy = fmt::format("COPY spoor.alone FROM '{}' (FORMAT binary)", path);
  const std::string stage = fmt::format("COPY staged FROM '{}' (FORMAT binary)", path);
  const std::vector<Statement> clear = {
      Statement("DROP TABLE IF EXISTS spoor.alone, spoor.deduped"),
      Statement("CREATE TABLE spoor.alone (LIKE spoor.objects INCLUDING ALL)"),
      Statement("CREATE TABLE spoor.deduped (LIKE spoor.objects INCLUDING ALL)")};
  const std::vector<Statement> deduplicating = {
      Statement("CREATE TEMPORARY TABLE staged (LIKE spoor.objects) ON COMMIT DROP"),
      Statement(stage.c_str()),
      Statement("INSERT INTO spoor.deduped SELECT * FROM pg_temp.staged ORDER BY oid "
                "ON CONFLICT DO NOTHING")};
  std::vector<double> received;
  std::vector<double> put;
  std::vector<double> copied;
  std::vector<double> deduped;
  for (int round = 0; round < 3; ++round) {
    const std::string address = server.new_address();
    const std::string other = server.new_address();
    const auto first = must(PostgresStore::create(address, {}));
    const auto second = must(PostgresStore::create(other, {}));
    const auto bare = must(
        store::postgres::Connection::open(must(store::postgres::parse_address(address)).server));
    must(bare->run(clear).has_value(), "no table for the rows");
    const Statement checkpoint("CHECKPOINT");
    const auto timed = [&](const std::function<void()>& body) {
      must(bare->run(checkpoint).has_value(), "no checkpoint");
      return wall_time_of(body);
    };
    copied.push_back(timed([&] { must(bare->run(Statement(copy.c_str())).has_value(), "COPY"); }));
    deduped.push_back(timed([&] { must(bare->run(deduplicating).has_value(), "COPY, INSERT"); }));
    put.push_back(timed([&] { put_all(*first, objects, tip); }));
    received.push_back(timed([&] { receive(*second, archive, folder.path(""), tip); }));
    must(PostgresStore::remove(address));
    must(PostgresStore::remove(other));
  }
  const auto rate = [&](const std::vector<double>& taken) {
    return static_cast<double>(turns) / median(taken);
  };
  rows.push_back({"PostgreSQL: COPY of the rows of an import alone", rate(copied), "turns/s", 0, 0,
                  std::nullopt, Row::Want::at_least, "from a file at the server"});
  rows.push_back({"PostgreSQL: import, hashed before", rate(put), "turns/s", rate(deduped),
                  rate(put) / rate(deduped), 0.5, Row::Want::at_least,
                  "floor: COPY from a file at the server, then INSERT of what is new"});
  rows.push_back({"PostgreSQL: import of an archive", rate(received), "turns/s", rate(deduped),
                  rate(received) / rate(deduped), 0.5, Row::Want::at_least,
                  "floor: the same; ours also inflates, hashes and checks"});
}

// What a commit waits for.
void measure_sync(std::vector<Row>& rows) {
  const ScratchFolder folder(true);
  std::vector<double> times;
  const std::string block(8192, 'x');
  std::FILE* file = std::fopen(folder.path("block").c_str(), "w");
  must(file != nullptr, "no file");
  for (int i = 0; i < 200; ++i) {
    times.push_back(wall_time_of([&] {
      must(::pwrite(::fileno(file), block.data(), block.size(), 0) > 0, "not written");
      ::fdatasync(::fileno(file));
    }));
  }
  std::fclose(file);
  rows.push_back({"PostgreSQL: fdatasync of 8 kB on its disk", median(times) * 1e3, "ms", 0, 0,
                  std::nullopt, Row::Want::at_most, "in half of 200"});
}

// Returns the bytes of a store's objects, as the server keeps them.
double bytes_of(const std::string& address) {
  const auto parsed = must(store::postgres::parse_address(address));
  const auto connection = must(store::postgres::Connection::open(parsed.server));
  Statement sum(
      "SELECT sum(pg_column_size(o))::int8 FROM spoor.objects o "
      "WHERE store = (SELECT id FROM spoor.stores WHERE name = $1)");
  const auto rows = must(connection->run(sum.add(std::string_view(parsed.store))));
  return static_cast<double>(rows.number(0, 0));
}

// A sealed store next to one that is not, in turns. The floor is the other.
void measure_sealed(const std::string& address, const std::string& sealed, std::vector<Row>& rows) {
  constexpr auto kNote = "floor: the same in a store that is not sealed";
  const auto add = [&rows](std::string name, double ours, const char* unit, double floor,
                           double most, Row::Want want) {
    rows.push_back({std::move(name), ours, unit, floor, ours / floor, most, want, kNote});
  };
  const std::size_t turns = sized(10'000);
  const double plain_written = written(address, turns);
  const double sealed_written = written(sealed, turns);
  add("PostgreSQL, sealed: bytes of a turn", bytes_of(sealed) / static_cast<double>(turns), "B",
      bytes_of(address) / static_cast<double>(turns), 1.1, Row::Want::at_most);
  add("PostgreSQL, sealed: turns appended, 500 a transaction", sealed_written, "/s", plain_written,
      0.7, Row::Want::at_least);
  for (const std::size_t clients : {1U, 8U}) {
    double plain = 0;
    double ours = 0;
    for (std::size_t round = 0; round < 6; ++round) {  // In turns: others use the machine, too.
      double& to = round % 2 == 0 ? plain : ours;
      const std::string& where = round % 2 == 0 ? address : sealed;
      to = std::max(to, appended({where}, clients, sized(1'200) / clients + 1));
    }
    add(fmt::format("PostgreSQL, sealed: appends of {} client{}", clients, clients == 1 ? "" : "s"),
        ours, "/s", plain, 0.8, Row::Want::at_least);
  }
  const auto time_of = [&](const std::string& where) {
    double best = compiled(where, turns).milliseconds;
    for (int i = 0; i < 2; ++i) best = std::min(best, compiled(where, turns).milliseconds);
    return best;
  };
  const double plain_time = time_of(address);
  add(fmt::format("PostgreSQL, sealed: compile of {} turns, cold", turns), time_of(sealed), "ms",
      plain_time, 2.0, Row::Want::at_most);
}

}  // namespace

void measure_postgres(std::vector<Row>& rows) {
  const auto server = PostgresServer::start(true);
  if (server == nullptr) return;  // It has said so.
  const std::string address = server->new_address();
  must(PostgresStore::create(address, {}));
  measure_sync(rows);
  measure_appends(address, rows);
  measure_compile(address, rows);
  measure_import(*server, rows);
  const auto keys = PostgresServer::start(true);
  const std::string plain = server->new_address();
  const std::string sealed = server->new_address();
  must(PostgresStore::create(plain, {}));
  must(PostgresStore::create(sealed, {}, keys->new_address()));
  measure_sealed(plain, sealed, rows);
}

}  // namespace spoor::bench
