// What only a server can do to a store: other clients, lost connections, restarts.
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "store/postgres/address.h"
#include "store/postgres/locks.h"
#include "tests/store/chores.h"
#include "tests/store/engines.h"
#include "tests/store/postgres_sql.h"
#include "tests/store/sample.h"
#include "tests/store/sound.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

using postgres::parse_address;

// Ends all connections of a server but its own at random times, until it goes.
class Cutter {
 public:
  explicit Cutter(const std::string& address, unsigned longest)
      : thread_([this, address, longest] {
          std::mt19937 random(spoor::testing::seeded(9));
          const auto own = postgres::Connection::open(parse_address(address)->server).value();
          const postgres::Statement cut(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
              "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
          while (!is_done_) {
            if (own->run(cut)) ++cuts_;
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % longest));
          }
        }) {}
  ~Cutter() { stop(); }
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

  int stop() {
    is_done_ = true;
    if (thread_.joinable()) thread_.join();
    return cuts_;
  }

 private:
  std::atomic<bool> is_done_ = false;
  std::atomic<int> cuts_ = 0;
  std::thread thread_;
};

std::size_t length_of(const Store& store, const std::string& ref) {
  std::size_t length = 0;
  const auto tip = store.ref(ref).value();
  if (!tip) return 0;
  REQUIRE(store.run(*tip, 1'000'000, 0, [&](const Store::RunStep&) { return ++length > 0; }));
  return length;
}

// Appends turns to a branch with a handle of its own. Returns how many were acknowledged.
int append_turns(const std::string& address, const std::string& branch, int count) {
  const auto store = PostgresStore::open(address, {}).value();
  History history;
  int acknowledged = 0;
  for (int i = 0; i < count; ++i) {
    const auto done = append(*store, history, branch, branch + " " + std::to_string(i));
    if (done && !done->was_there) ++acknowledged;
  }
  return acknowledged;
}

}  // namespace

TEST_SUITE("store/postgres") {
  TEST_CASE(
      "operations get their numbers by their places, each of which the server reads at once") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(address, {}));
    // Nobody counted the rows of this database, so the server does not expect many.
    const auto owner = postgres::Connection::open(parse_address(address)->server).value();
    static const std::string kExplained = std::string("EXPLAIN ") + postgres::kNumber;
    const auto rows =
        owner->run(postgres::Statement(kExplained.c_str()).add(std::int64_t{1})).value();
    std::string plan;
    for (std::size_t i = 0; i < rows.size(); ++i) plan += std::string(rows.bytes(i, 0)) + '\n';
    INFO(plan);
    CHECK(plan.find("TID Cond: (ctid = ") != std::string::npos);
  }

  TEST_CASE("an address names a server and a store") {
    const auto parsed = parse_address("postgres://ann@db/team?sslmode=require&store=a/b&host=h");
    REQUIRE(parsed);
    CHECK(parsed->server == "postgres://ann@db/team?sslmode=require&host=h");
    CHECK(parsed->store == "a/b");
    CHECK(parse_address("postgresql:///team")->store == "main");
    CHECK(parse_address("postgres://h/d?store=x")->server == "postgres://h/d");
    CHECK(parse_address("postgres://h/d?store=a%2Fb%C3%a9")->store == "a/bé");
    for (const char* each :
         {"postgres://h/d?store=a b", "postgres://h/d?store=a&store=b", "postgres://h/d?store=..",
          "postgres://h/d?store=a\nb", "postgres://h/d?store=a%20b", "postgres://h/d?store=a%2",
          "postgres://h/d?store=a%-1", "postgres://h/d?store=%00"}) {
      CHECK(parse_address(each).error().code == Error::Code::invalid);
    }
    CHECK(postgres::is_address("postgres://h"));
    CHECK_FALSE(postgres::is_address("postgres.spoor"));
  }

  TEST_CASE("what is not there is said at once") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    CHECK(PostgresStore::open(address, {}).error().code == Error::Code::not_found);
    REQUIRE(PostgresStore::create(address, {}));
    CHECK(PostgresStore::create(address, {}).error().code == Error::Code::conflict);
    REQUIRE(PostgresStore::remove(address));
    CHECK(PostgresStore::open(address, {}).error().code == Error::Code::not_found);
    PostgresStore::Options hasty;
    hasty.patience.longest = std::chrono::milliseconds(0);
    for (const char* each : {"postgres://127.0.0.1:1/x", "postgres:///x?host=/nowhere"}) {
      CHECK(PostgresStore::open(each, hasty).error().code == Error::Code::unavailable);
      CHECK(PostgresStore::create(each, {}).error().code == Error::Code::unavailable);
    }
    CHECK(PostgresStore::open("postgres://h/x?nonsense=1", {}).error().code ==
          Error::Code::invalid);
  }

  TEST_CASE("round trips are few") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    History history;
    REQUIRE(append(*store, history, "main", "first"));
    const auto trips = [&](const auto& what) {
      const std::uint64_t before = store->round_trips();
      what();
      return store->round_trips() - before;
    };
    for (int i = 0; i < 30; ++i) {
      auto objects = history.turn(history.last(), std::to_string(i));
      const auto before = store->ref(branch_ref("main")).value();
      const Transaction turn =
          move_ref(branch_ref("main"), before, history.last(), std::move(objects));
      CHECK(trips([&] { REQUIRE(store->commit(turn)); }) == 1);
    }
    const Oid tip = *store->ref(branch_ref("main")).value();
    const auto walk = [&](std::size_t count) {
      return trips([&] {
        REQUIRE(store->run(tip, count, Store::kAllContents,
                           [](const Store::RunStep&) { return true; }));
      });
    };
    CHECK(walk(20) == 1);
    CHECK(walk(31) == 1);
    CHECK(trips([&] { CHECK(store->operations(0, 100).value().size() == 31); }) == 1);
    CHECK(trips([&] { CHECK(store->refs("refs/").value().size() == 1); }) == 1);
    CHECK(trips([&] { REQUIRE(store->properties(std::array{std::string_view("a")})); }) == 1);
  }

  TEST_CASE("a user who only reads sees the log as far as its operations have numbers") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    History history;
    REQUIRE(append(*store, history, "main", "numbered"));
    const auto numbered = store->newest_operation().value();
    REQUIRE(append(*store, history, "main", "not yet"));
    for (const char* each :
         {"CREATE ROLE only_reads LOGIN",
          "SELECT spoor.allow(convert_from(name, 'UTF8'), 'only_reads', 'reader') "
          "FROM spoor.stores WHERE id = $1"}) {
      REQUIRE(run_sql(address, each));
    }
    const auto reader = PostgresStore::open(as_user(address, "only_reads"), {}).value();
    const Timestamp late{std::numeric_limits<std::int64_t>::max()};
    CHECK(reader->newest_operation().value()->name == numbered->name);
    CHECK(reader->operation_at("", late).value()->name == numbered->name);
    CHECK(reader->operations(0, 10).value().size() == 1);
  }

  TEST_CASE("the log is in the order of the calls, whatever the clocks of two machines say") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto ahead = PostgresStore::create(address, {}).value();
    const auto behind = PostgresStore::open(address, {}).value();
    std::vector<Oid> made;
    for (int i = 0; i < 20; ++i) {
      // The two write refs of their own, and at times each other's.
      Store& store = i % 2 == 0 ? *ahead : *behind;
      const std::string name = branch_ref(std::to_string(i % 5));
      const Timestamp now = at(i % 2 == 0 ? 10'000 + i : i);
      const auto before = store.ref(name).value();
      made.push_back(store.commit(move_ref(name, before, blob(std::to_string(i)).oid, {}, now))
                         .value()
                         .operation);
    }
    std::vector<Oid> logged;
    for (const LoggedOperation& each : ahead->operations(0, 100).value()) {
      logged.push_back(each.name);
    }
    CHECK(logged == made);
  }

  TEST_CASE("a ref that claims to be of the future is named, and can be written after rebuild") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    History history;
    REQUIRE(append(*store, history, "main", "one", at(7)));
    REQUIRE(run_sql(address, "UPDATE spoor.refs SET at = 9223372036854775807 WHERE store = $1"));
    const auto fresh = PostgresStore::open(address, {}).value();
    CHECK_FALSE(append(*fresh, history, "main", "two", at(7)));
    REQUIRE(fsck(*store).value().problems.size() == 1);
    CHECK(fsck(*store).value().problems[0].subject == branch_ref("main"));
    REQUIRE(fresh->rebuild());
    REQUIRE(append(*fresh, history, "main", "two", at(7)));
    check_is_sound(*store);
  }

  TEST_CASE("tables that disagree end an append, fsck names the ref, rebuild mends it") {
    if (PostgresServer::get() == nullptr) return;
    const auto damages = {"DELETE FROM spoor.refs WHERE store = $1",
                          "DELETE FROM spoor.moves WHERE store = $1",
                          "DELETE FROM spoor.moves WHERE store = $1 AND number = 2",
                          "UPDATE spoor.refs SET number = 1 WHERE store = $1",
                          "UPDATE spoor.refs SET operation = target WHERE store = $1"};
    for (const char* damage : damages) {
      CAPTURE(damage);
      const std::string address = PostgresServer::get()->new_address();
      const auto store = PostgresStore::create(address, {}).value();
      History history;
      for (const char* text : {"one", "two", "three"}) {
        REQUIRE(append(*store, history, "main", text, at(7)));
      }
      const Oid tip = history.last();
      REQUIRE(run_sql(address, damage));
      bool is_named = false;
      for (const auto& each : fsck(*store).value().problems) {
        is_named |= each.subject == branch_ref("main");
      }
      CHECK(is_named);
      // Of one who knew the ref, of one who reads it, and of one who takes it to be new.
      const auto fresh = PostgresStore::open(address, {}).value();
      for (Store* each : {static_cast<Store*>(store.get()), static_cast<Store*>(fresh.get())}) {
        const auto done =
            each->commit(move_ref(branch_ref("main"), {}, blob("new").oid, {}, at(7)));
        CHECK_FALSE(done);
        if (done || done.error().code == Error::Code::conflict) continue;
        CHECK(done.error().code == Error::Code::corrupt);
        CHECK(done.error().hint.find("spoor store rebuild") != std::string::npos);
      }
      REQUIRE(store->rebuild());
      check_is_sound(*store);
      CHECK(store->ref(branch_ref("main")).value() == tip);
      for (Store* each : {static_cast<Store*>(store.get()), static_cast<Store*>(fresh.get())}) {
        REQUIRE(append(*each, history, "main", "again", at(8)));
      }
      CHECK(store->operations(0, 100).value().size() == 5);
      CHECK(store->operation_at(branch_ref("main"), at(7)).value()->number == 3);
      check_is_sound(*store);
    }
  }

  TEST_CASE("each writer of a branch of its own loses nothing when connections are cut") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(address, {}));
    const int turns = spoor::testing::rounds(60);
    std::vector<int> acknowledged(4);
    int cuts = 0;
    {
      Cutter cutter(address, 80);
      std::vector<std::thread> writers;
      for (std::size_t i = 0; i < acknowledged.size(); ++i) {
        writers.emplace_back(
            [&, i] { acknowledged[i] = append_turns(address, "b" + std::to_string(i), turns); });
      }
      for (auto& each : writers) each.join();
      cuts = cutter.stop();
    }
    CHECK(cuts > 3);
    const auto store = PostgresStore::open(address, {}).value();
    for (std::size_t i = 0; i < acknowledged.size(); ++i) {
      CHECK(acknowledged[i] == turns);  // Each once: none of its own is taken for another's.
      CHECK(length_of(*store, branch_ref("b" + std::to_string(i))) ==
            static_cast<std::size_t>(turns));
    }
    CHECK(store->operations(0, 10'000).value().size() ==
          acknowledged.size() * static_cast<std::size_t>(turns));
    check_is_sound(*store);
  }

  TEST_CASE("what is appended beside imports, gc and erasures is there once, whatever is cut") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(address, {}));
    const std::string archive = archive_of_another_store();
    const int turns = spoor::testing::rounds(200);
    std::array<int, 2> acknowledged{};
    std::atomic<int> left = static_cast<int>(acknowledged.size());
    std::vector<Error> ended;
    int done = 0;
    Cutter cutter(address, 60);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < acknowledged.size(); ++i) {
      threads.emplace_back([&, i] {
        acknowledged[i] = append_turns(address, "b" + std::to_string(i), turns);
        --left;
      });
    }
    threads.emplace_back([&] {
      const auto store = PostgresStore::open(address, {}).value();
      for (std::uint64_t i = 0; left > 0; ++i) {
        const std::string name = "theirs" + std::to_string(i / 4);
        const auto each = i % 4 == 0   ? import_archive(*store, archive, name)
                          : i % 4 == 1 ? erase_something(*store, i)
                          : i % 4 == 2 ? drop_branch(*store, name)
                                       : collect_garbage(*store);
        if (each) ++done;
        if (!each) ended.push_back(each.error());
      }
    });
    for (auto& each : threads) each.join();
    CHECK(cutter.stop() > 3);
    CHECK(done > 0);
    for (const Error& each : ended) {
      CAPTURE(each.message);
      const bool is_clear =
          each.code == Error::Code::unavailable || each.code == Error::Code::conflict;
      CHECK(is_clear);
      CHECK_FALSE(each.hint.empty());
    }
    const auto store = PostgresStore::open(address, {}).value();
    for (std::size_t i = 0; i < acknowledged.size(); ++i) {
      const std::string ref = branch_ref("b" + std::to_string(i));
      CHECK(acknowledged[i] == turns);
      CHECK(length_of(*store, ref) == static_cast<std::size_t>(turns));
    }
    REQUIRE(collect_garbage(*store));
    check_is_sound(*store);
  }

  TEST_CASE("many handles on one ref: each move is made once, or is a conflict") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    constexpr int kWriters = 6;
    const int each = spoor::testing::rounds(40);
    std::atomic<int> moved = 0;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&, w] {
        const auto own = PostgresStore::open(address, {}).value();
        for (int i = 0; i < each; ++i) {
          const auto before = own->ref(branch_ref("main")).value();
          const NewObject object = blob(std::to_string(w) + "/" + std::to_string(i));
          const auto done = own->commit(move_ref(branch_ref("main"), before, object.oid, {object}));
          if (done && !done->was_there) ++moved;
          if (!done && done.error().code != Error::Code::conflict) ++wrong;
        }
      });
    }
    for (auto& writer : writers) writer.join();
    CHECK(wrong == 0);
    CHECK(moved >= each);
    CHECK(store->operations(0, 100'000).value().size() == static_cast<std::size_t>(moved));
  }

  TEST_CASE("changes of several refs at once are whole, whatever their order") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    std::vector<std::thread> writers;
    std::atomic<int> moved = 0;
    std::atomic<int> wrong = 0;
    for (int w = 0; w < 4; ++w) {
      writers.emplace_back([&, w] {
        const auto own = PostgresStore::open(address, {}).value();
        std::mt19937 random(spoor::testing::seeded(static_cast<unsigned>(w)));
        for (int i = 0; i < spoor::testing::rounds(40); ++i) {
          Transaction change;
          const NewObject object = blob(std::to_string(w) + "/" + std::to_string(i));
          change.objects = {object};
          for (int ref = 0; ref < 4; ++ref) {
            const std::string name = branch_ref(std::to_string(ref));
            if (random() % 2 == 0)
              change.refs.push_back({name, own->ref(name).value(), object.oid});
          }
          change.actor = "tester";
          change.command = "test";
          change.time = at(1);
          if (change.refs.empty()) continue;
          const auto done = own->commit(change);
          moved += done ? 1 : 0;
          if (!done && done.error().code != Error::Code::conflict) ++wrong;
        }
      });
    }
    for (auto& writer : writers) writer.join();
    CHECK(wrong == 0);
    std::map<std::string, Oid> refs;
    for (const LoggedOperation& each : store->operations(0, 100'000).value()) {
      const Operation operation = parse_operation(each.body).value();
      for (const RefMove& move : operation.refs) {
        const auto now = refs.find(move.name);
        CHECK((now == refs.end() ? std::nullopt : std::optional(now->second)) == move.before);
        refs[move.name] = *move.after;
      }
    }
    for (const Ref& each : store->refs("").value()) CHECK(refs.at(each.name) == each.target);
    CHECK(store->operations(0, 100'000).value().size() == static_cast<std::size_t>(moved));
  }

  TEST_CASE("a server that is killed and comes again keeps writers waiting, and nothing else") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(address, {}));
    const int turns = spoor::testing::rounds(150);
    std::array<int, 3> acknowledged{};
    std::vector<std::thread> writers;
    for (std::size_t i = 0; i < acknowledged.size(); ++i) {
      writers.emplace_back(
          [&, i] { acknowledged[i] = append_turns(address, "b" + std::to_string(i), turns); });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    PostgresServer::get()->restart();
    for (auto& each : writers) each.join();
    const auto store = PostgresStore::open(address, {}).value();
    for (std::size_t i = 0; i < acknowledged.size(); ++i) {
      CHECK(acknowledged[i] == turns);
      CHECK(length_of(*store, branch_ref("b" + std::to_string(i))) ==
            static_cast<std::size_t>(turns));
    }
    check_is_sound(*store);
  }

  TEST_CASE("a lost connection ends exclusive work, and the store goes on") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    History history;
    const auto done = store->exclusive([&]() -> Result<void> {
      {
        Cutter cutter(address, 2);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      TRY(append(*store, history, "main", "lost"));
      return {};
    });
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Error::Code::conflict);
    CHECK_FALSE(store->ref(branch_ref("main")).value());
    History again;
    REQUIRE(append(*store, again, "main", "found"));
    // Nobody holds the lock.
    const auto other = PostgresStore::open(address, {}).value();
    REQUIRE(other->exclusive([] { return Result<void>(); }));
  }
}
