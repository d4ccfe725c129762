// Who may do what in a store in PostgreSQL: three roles, and two stores in one database.
#include <doctest/doctest.h>

#include <array>

#include "store/erased.h"
#include "tests/store/engines.h"
#include "tests/store/postgres_sql.h"
#include "tests/store/sample.h"
#include "tests/store/sound.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

const std::string kTip = branch_ref("main");

std::string name_of(const std::string& address) { return postgres::parse_address(address)->store; }

// Lets a role do something in a store; makes the role if need be.
void allow(const std::string& address, const std::string& role, const std::string& may) {
  const std::string make =
      "DO $$BEGIN CREATE ROLE " + role + " LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END$$";
  REQUIRE(run_sql(address, make.c_str()));
  const std::string let =
      "SELECT spoor.allow('" + name_of(address) + "', '" + role + "', '" + may + "')";
  REQUIRE(run_sql(address, let.c_str()));
}

// Two stores with a turn each, the first sealed if `keys` is an address. `reads`, `appends` and
// `rules` may do what they are called after in the first; each has another right in the second, so
// that the privileges on the tables do not decide alone.
struct Stores {
  std::string address = PostgresServer::get()->new_address();
  std::string other = PostgresServer::get()->new_address();
  std::unique_ptr<PostgresStore> owner;
  std::unique_ptr<PostgresStore> others = PostgresStore::create(other, {}).value();
  History history;

  explicit Stores(const std::string& keys = "")
      : owner(PostgresStore::create(address, {}, keys).value()) {
    REQUIRE(append(*owner, history, "main", "hello"));
    REQUIRE(append(*others, history, "main", "theirs"));
    REQUIRE(owner->newest_operation());
    allow(address, named("reads"), "reader");
    allow(address, named("appends"), "appender");
    allow(address, named("rules"), "admin");
  }
  // A role of these two stores, not of another test's.
  std::string named(const std::string& role) const { return role + "_" + name_of(address); }
  std::string address_as(const std::string& role) const { return as_user(address, named(role)); }
  std::unique_ptr<PostgresStore> as(const std::string& role) const {
    return PostgresStore::open(address_as(role), {}).value();
  }
};

Error::Code code_of(const auto& result) { return result ? Error::Code::io : result.error().code; }

// What each of the three may do. `next` makes texts differ.
void check_rights(Stores& stores, int next) {
  constexpr auto kDenied = Error::Code::denied;
  const std::string text = std::to_string(next);
  for (const char* role : {"reads", "appends", "rules"}) {
    CAPTURE(role);
    const auto store = stores.as(role);
    const bool appends = role != std::string("reads");
    const bool rules = role == std::string("rules");
    CHECK(store->ref(kTip).value());
    CHECK(store->has(std::array{blob("hello").oid}).value()[0]);
    CHECK(store->operations(0, 100).value().size() >= 1);
    CHECK(store->check().value().empty());

    const auto ok_or_denied = [&](const auto& result, bool may) {
      CHECK(result.has_value() == may);
      if (!may) CHECK(code_of(result) == kDenied);
    };
    ok_or_denied(append(*store, stores.history, "main", role + text), appends);
    ok_or_denied(append(*store, stores.history, role + text, role + text), appends);
    ok_or_denied(store->put(std::array{blob("loose " + text + role)}), appends);
    ok_or_denied(store->set_local("head", "x"), appends);
    ok_or_denied(store->set_local("head", std::nullopt), appends);
    CHECK(store->put_cached("key", "value"));

    const NewObject victim = blob("victim " + text + role);
    REQUIRE(stores.owner->put(std::array{victim}));
    ok_or_denied(store->erase(std::array{victim.oid}), rules);
    CHECK(stores.owner->has(std::array{victim.oid}).value()[0] == !rules);
    ok_or_denied(store->set_property("option" + text + role, "value"), rules);
    ok_or_denied(store->set_property("option" + text + role, std::nullopt), rules);
    Sweep sweep;
    sweep.objects = {victim.oid};
    ok_or_denied(store->sweep(sweep), rules);
    ok_or_denied(store->rebuild(), rules);
    CHECK(store->check().value().empty());
  }
  check_is_sound(*stores.owner);
}

}  // namespace

TEST_SUITE("store/postgres_roles") {
  TEST_CASE("a reader reads, an appender appends, an admin also removes") {
    if (PostgresServer::get() == nullptr) return;
    Stores stores;
    check_rights(stores, 1);
    // With other rights in another store, they have the privileges that they lack here.
    allow(stores.other, stores.named("reads"), "admin");
    allow(stores.other, stores.named("appends"), "admin");
    allow(stores.other, stores.named("rules"), "reader");
    check_rights(stores, 2);
    // What an admin of one store does there leaves the other as it was.
    CHECK(stores.others->operations(0, 10).value().size() == 1);
    CHECK(stores.others->properties({}).value().epoch == 0);
    check_is_sound(*stores.others);
  }

  TEST_CASE("a role sees and writes nothing of a store that it was not let into") {
    if (PostgresServer::get() == nullptr) return;
    Stores stores;
    for (const char* role : {"reads", "appends", "rules"}) {
      const auto refused = PostgresStore::open(as_user(stores.other, stores.named(role)), {});
      CHECK(code_of(refused) == Error::Code::not_found);
      // Nor with statements of its own.
      const std::string mine = stores.address_as(role);
      for (const char* table : {"objects", "operations", "refs", "moves", "properties", "loose"}) {
        const std::string count = "SELECT count(DISTINCT store) FROM spoor." + std::string(table);
        CHECK(run_sql(mine, count.c_str()).value().number(0, 0) <= 1);
      }
      for (const char* each :
           {"INSERT INTO spoor.objects SELECT id, '', 0, NULL, NULL, '' FROM generate_series(1, "
            "99) "
            "AS g(id)",
            "INSERT INTO spoor.grants SELECT 1, current_user::regrole, 'admin'",
            "UPDATE spoor.grants SET may = 'admin'", "UPDATE spoor.version SET number = 1",
            "UPDATE spoor.operations SET body = ''", "UPDATE spoor.objects SET body = ''",
            "UPDATE spoor.moves SET operation = ''", "DELETE FROM spoor.refs",
            "DELETE FROM spoor.stores", "TRUNCATE spoor.objects"}) {
        CAPTURE(each);
        CHECK(code_of(run_sql(mine, each)) == Error::Code::denied);
      }
      // An operation that has a number keeps it.
      (void)run_sql(mine, "UPDATE spoor.operations SET number = number + 10");
      CHECK(stores.owner->newest_operation().value()->number == 1);
      CHECK(stores.others->newest_operation().value()->number == 1);
    }
    // One that has none yet gets none below those of the log.
    REQUIRE(append(*stores.as("appends"), stores.history, "main", "to hide"));
    const std::string mine = stores.address_as("appends");
    CHECK(code_of(run_sql(mine, "UPDATE spoor.operations SET number = -5 WHERE number IS NULL")) ==
          Error::Code::denied);
    CHECK(stores.owner->newest_operation().value()->number == 2);
  }

  TEST_CASE("in a sealed store, too, and of its keys only an admin needs more than to read them") {
    if (PostgresServer::get() == nullptr || PostgresServer::of_keys() == nullptr) return;
    const std::string keys = PostgresServer::of_keys()->new_address();
    Stores stores(keys);
    check_rights(stores, 1);
    // An erasure is finished by an admin of this store, not by one of another.
    allow(stores.other, stores.named("appends"), "admin");
    CHECK(code_of(stores.as("appends")->compact()) == Error::Code::denied);
    CHECK(stores.as("reads")->property(kUnfinishedErasure).value());
    REQUIRE(stores.as("rules")->compact());
    CHECK_FALSE(stores.as("reads")->property(kUnfinishedErasure).value());

    const auto in_keys = postgres::Connection::open(postgres::parse_address(keys)->server).value();
    for (const char* each :
         {"CREATE ROLE reads_keys LOGIN", "GRANT USAGE ON SCHEMA spoor_keys TO reads_keys",
          "GRANT SELECT ON ALL TABLES IN SCHEMA spoor_keys TO reads_keys"}) {
      REQUIRE(in_keys->run(postgres::Statement(each)));
    }
    const std::string set = "UPDATE spoor.properties SET value = '" + as_user(keys, "reads_keys") +
                            "' WHERE store = $1 AND key = 'keys'";
    REQUIRE(run_sql(stores.address, set.c_str()));
    CHECK(stores.as("reads")->get(std::array{blob("hello").oid}).value()[0]->body ==
          blob("hello").body);
    REQUIRE(append(*stores.as("appends"), stores.history, "main", "appended"));
    const NewObject text = blob("appended");
    const auto refused = stores.as("rules")->erase(std::array{text.oid});
    CHECK(code_of(refused) == Error::Code::denied);
    CHECK(refused.error().message.ends_with("this user may not destroy keys"));
    CHECK(stores.as("reads")->get(std::array{text.oid}).value()[0]->body == text.body);
    CHECK(stores.owner->check().value().empty());
  }

  TEST_CASE("who was let in can be let out") {
    if (PostgresServer::get() == nullptr) return;
    Stores stores;
    const auto store = stores.as("appends");
    REQUIRE(append(*store, stores.history, "main", "once"));
    allow(stores.address, stores.named("appends"), "none");
    CHECK(code_of(append(*store, stores.history, "main", "twice")) == Error::Code::denied);
    CHECK(code_of(PostgresStore::open(stores.address_as("appends"), {})) == Error::Code::denied);
    allow(stores.address, stores.named("appends"), "appender");
    const std::string let = "SELECT spoor.allow('" + name_of(stores.address) + "', '" +
                            stores.named("appends") + "', NULL)";
    CHECK_FALSE(run_sql(stores.address, let.c_str()));
    REQUIRE(append(*stores.as("appends"), stores.history, "main", "again"));
  }

  TEST_CASE("a role that was dropped is in no grant after the next one") {
    if (PostgresServer::get() == nullptr) return;
    const Stores stores;
    const std::string dropped = stores.named("rules");
    for (const std::string& each : {"DROP OWNED BY " + dropped, "DROP ROLE " + dropped}) {
      REQUIRE(run_sql(stores.address, each.c_str()));
    }
    allow(stores.address, stores.named("reads"), "reader");
    CHECK(run_sql(stores.address, "SELECT FROM spoor.grants WHERE store = $1").value().size() == 2);
  }

  TEST_CASE("tables are not made in a schema of another user, whose triggers would be run") {
    const auto server = PostgresServer::start(false);
    if (server == nullptr) return;
    const std::string address = server->new_address();
    const auto run_as = [&](const std::string& user, const char* text) {
      const std::string own = postgres::parse_address(as_user(address, user))->server;
      REQUIRE(postgres::Connection::open(own).value()->run(postgres::Statement(text)));
    };
    run_as("spoor", "CREATE ROLE mallory LOGIN");
    run_as("spoor", "GRANT CREATE ON DATABASE postgres TO mallory");
    run_as("mallory", "CREATE SCHEMA spoor");
    CHECK(code_of(PostgresStore::create(address, {})) == Error::Code::denied);
    run_as("spoor", "DROP SCHEMA spoor");
    REQUIRE(PostgresStore::create(address, {}));
    run_as("mallory", "CREATE SCHEMA spoor_keys");
    if (PostgresServer::get() == nullptr) return;
    const auto sealed = PostgresStore::create(PostgresServer::get()->new_address(), {}, address);
    CHECK(code_of(sealed) == Error::Code::denied);
  }

  TEST_CASE("tables of version 1 are used as they are, and upgraded with the rights on them") {
    const auto server = PostgresServer::start(false);
    if (server == nullptr) return;
    const std::string address = server->new_address();
    auto owner = PostgresStore::create(address, {}).value();
    CHECK_FALSE(owner->upgrade().value());
    History history;
    REQUIRE(append(*owner, history, "main", "hello"));
    for (const char* each :
         {"DROP TABLE spoor.grants CASCADE", "DROP VIEW spoor.rights",
          "DROP FUNCTION spoor.allow(text, regrole, text)",
          "DO $$DECLARE t name; BEGIN FOR t IN SELECT relname FROM pg_class WHERE relrowsecurity "
          "LOOP EXECUTE format('ALTER TABLE spoor.%I DISABLE ROW LEVEL SECURITY', t); END LOOP; "
          "END$$",
          "UPDATE spoor.version SET number = 1", "CREATE ROLE reads LOGIN",
          "CREATE ROLE appends LOGIN IN ROLE reads", "GRANT USAGE ON SCHEMA spoor TO reads",
          "GRANT SELECT ON ALL TABLES IN SCHEMA spoor TO reads",
          "GRANT INSERT ON spoor.objects, spoor.operations, spoor.refs, spoor.moves, spoor.loose, "
          "spoor.locals, spoor.cached TO appends",
          "GRANT UPDATE ON spoor.operations, spoor.refs, spoor.loose, spoor.locals, spoor.cached "
          "TO appends"}) {
      REQUIRE(run_sql(address, each));
    }
    const auto check_both = [&](const char* text) {
      CHECK(PostgresStore::open(as_user(address, "reads"), {}).value()->ref(kTip).value());
      const auto appender = PostgresStore::open(as_user(address, "appends"), {}).value();
      REQUIRE(append(*appender, history, "main", text));
      CHECK(code_of(appender->erase(std::array{history.last()})) == Error::Code::denied);
    };
    check_both("before");
    CHECK(code_of(PostgresStore::open(as_user(address, "appends"), {}).value()->upgrade()) ==
          Error::Code::denied);
    CHECK(owner->upgrade().value());
    CHECK_FALSE(owner->upgrade().value());
    check_both("after");
    CHECK(run_sql(as_user(address, "appends"), "UPDATE spoor.operations SET body = ''")
              .error()
              .code == Error::Code::denied);
    check_is_sound(*owner);
  }
}
