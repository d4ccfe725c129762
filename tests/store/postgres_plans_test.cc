// What the server reads to answer a store whose tables grew since it last counted their rows. A
// connection keeps the plans that it made when they were empty.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "store/postgres/postgres_store.h"
#include "tests/store/postgres_server.h"
#include "tests/store/postgres_sql.h"
#include "tests/store/sample.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

constexpr std::size_t kTurns = 10'000;
constexpr std::size_t kSteps = 100;
constexpr std::size_t kSome = 1'000;

std::int64_t number_from(const std::string& address, const char* sql) {
  return run_sql(address, sql).value().number(0, 0);
}

// What all clients read that are gone by now.
struct Reads {
  std::int64_t scans = 0;  // Of whole tables.
  std::int64_t rows = 0;   // Found by an index.
};

Reads reads_of(const std::string& address, std::int64_t open_handles) {
  await_clients(address, open_handles);  // A server counts what a client read when it goes.
  return {number_from(address,
                      "SELECT sum(seq_scan)::int8 FROM pg_stat_user_tables WHERE relname IN "
                      "('objects', 'operations', 'moves')"),
          number_from(address, "SELECT sum(idx_tup_fetch)::int8 FROM pg_stat_user_tables")};
}

struct Question {
  std::string what;
  std::int64_t rows;  // At most these are read.
  std::function<void(Store&)> ask;
};

}  // namespace

TEST_SUITE("store/postgres") {
  TEST_CASE("a plan that was made for empty tables finds rows by their keys in large ones") {
    const auto server = PostgresServer::start(false);
    if (server == nullptr) return;
    const std::string address = server->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    REQUIRE(run_sql(address, "ANALYZE"));

    Oid tip = blob("nothing").oid;
    std::vector<Oid> some(kSome, tip);
    std::size_t visited = 0;
    const auto walk = [&](Store& each, std::size_t contents) {
      visited = 0;
      REQUIRE(
          each.run(tip, kSteps, contents, [&](const Store::RunStep&) { return ++visited > 0; }));
    };
    constexpr std::int64_t kFew = 20;
    const Timestamp late = at(1'000'000);
    const Question questions[] = {
        {"walk", kSteps + kFew, [&](Store& each) { walk(each, 0); }},
        {"walk with contents", 2 * kSteps + kFew,
         [&](Store& each) { walk(each, Store::kAllContents); }},
        {"way", kSteps,
         [&](Store& each) {
           REQUIRE(each.follow(tip, kTurns - 1, [](const Store::RunStep&) { return true; }));
         }},
        {"get", kSome + kFew, [&](Store& each) { REQUIRE(each.get(some)); }},
        {"has", kSome + kFew, [&](Store& each) { REQUIRE(each.has(some)); }},
        {"find", kFew, [&](Store& each) { REQUIRE(each.find(tip.hex(16), Kind::commit, 2)); }},
        {"a ref", kFew, [](Store& each) { REQUIRE(each.ref(branch_ref("main"))); }},
        {"append", kFew,
         [&](Store& each) {
           History history;
           const auto turn = history.turn({}, "a turn");
           const auto before = each.ref(branch_ref("side")).value();
           const NewObject more = blob(std::to_string(visited));
           REQUIRE(each.commit(move_ref(branch_ref("side"), before, more.oid, {turn[0], more})));
         }},
        {"a part of the log", 100 + kFew,
         [](Store& each) { REQUIRE(each.operations(kTurns / 2, 100)); }},
        {"the newest operation", kFew, [](Store& each) { REQUIRE(each.newest_operation()); }},
        {"an operation by its time", kFew,
         [&](Store& each) { REQUIRE(each.operation_at("", late)); }},
        {"an operation of a ref by its time", kFew,
         [&](Store& each) { REQUIRE(each.operation_at(branch_ref("main"), late)); }},
    };
    std::vector<std::unique_ptr<PostgresStore>> handles;
    for (const Question& each : questions) {
      handles.push_back(PostgresStore::open(address, {}).value());
      each.ask(*handles.back());
    }

    History history;
    std::optional<Oid> last;
    std::vector<NewObject> objects;
    some.clear();
    for (std::size_t i = 0; i < kTurns; ++i) {
      for (NewObject& each : history.turn(last, std::to_string(i))) objects.push_back(each);
      last = history.last();
      if (some.size() < kSome) some.push_back(*last);
    }
    tip = *last;
    REQUIRE(store->commit(move_ref(branch_ref("main"), {}, tip, std::move(objects))));
    REQUIRE(store->newest_operation());
    for (const char* each :
         {"INSERT INTO spoor.operations (store, name, at, number, body) "
          "SELECT $1, sha256(int8send(i)), 0, 100 + i, ''::bytea FROM generate_series(1, 10000) i",
          "INSERT INTO spoor.moves SELECT $1, 'refs/heads/main', 1 + i, sha256(int8send(i)) "
          "FROM generate_series(1, 10000) i"}) {
      REQUIRE(run_sql(address, each));
    }

    auto open = static_cast<std::int64_t>(handles.size()) + 1;
    Reads before = reads_of(address, open);
    for (std::size_t i = 0; i < handles.size(); ++i) {
      CAPTURE(questions[i].what);
      questions[i].ask(*handles[i]);
      handles[i].reset();
      const Reads now = reads_of(address, --open);
      CHECK(now.scans == before.scans);
      CHECK(now.rows - before.rows <= questions[i].rows);
      before = now;
    }
  }
}
