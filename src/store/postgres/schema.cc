#include "store/postgres/schema.h"

#include <fmt/format.h>

#include "store/postgres/roles.h"

namespace spoor::store::postgres {

std::string own_schema(std::string_view name) {
  return fmt::format(R"(
    DO $$BEGIN
      IF (SELECT nspowner FROM pg_namespace WHERE nspname = '{0}') <>
          (SELECT oid FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION USING ERRCODE = '42501',
          MESSAGE = 'the schema {0} belongs to another user, who may make stores';
      END IF;
    END$$)",
                     name);
}

namespace {

// `moves` is the chain of operations of each ref: with the next number of a ref, an operation is
// its next one. `refs` is where that chain ends. `operations.number` is the operation's place in
// the log of the store: NULL until somebody reads the log (PostgresStore::kNumber). In `objects`,
// what a commit's first lines name is repeated, so that a history is one question.
// They are of version 1.
const std::string kOwnTables = own_schema("spoor");
const Statement kTables[] = {
    Statement("SELECT pg_advisory_xact_lock(1936748401, 0)"),
    Statement("CREATE SCHEMA IF NOT EXISTS spoor"),
    Statement(kOwnTables.c_str()),
    Statement("CREATE TABLE IF NOT EXISTS spoor.version (number int8 PRIMARY KEY)"),
    Statement("INSERT INTO spoor.version SELECT 1 WHERE NOT EXISTS (SELECT FROM spoor.version)"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.stores (
      id int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name bytea UNIQUE NOT NULL,
      epoch int8 NOT NULL DEFAULT 0,
      erasures int8 NOT NULL DEFAULT 0))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.objects (
      store int4 NOT NULL, oid bytea NOT NULL, kind int2 NOT NULL,
      parent bytea, content bytea, body bytea NOT NULL,
      PRIMARY KEY (store, oid)))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.operations (
      store int4 NOT NULL, name bytea NOT NULL, at int8 NOT NULL, number int8,
      arrived int8 GENERATED ALWAYS AS IDENTITY, body bytea NOT NULL,
      PRIMARY KEY (store, name)))"),
    Statement("CREATE UNIQUE INDEX IF NOT EXISTS operations_in_order "
              "ON spoor.operations (store, number) WHERE number IS NOT NULL"),
    Statement("CREATE INDEX IF NOT EXISTS operations_without_number "
              "ON spoor.operations (store) WHERE number IS NULL"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.refs (
      store int4 NOT NULL, name bytea NOT NULL, number int8 NOT NULL, target bytea,
      operation bytea NOT NULL, at int8 NOT NULL,
      PRIMARY KEY (store, name)) WITH (fillfactor = 50))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.moves (
      store int4 NOT NULL, ref bytea NOT NULL, number int8 NOT NULL, operation bytea NOT NULL,
      PRIMARY KEY (store, ref, number)))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.folded (
      store int4 NOT NULL, number int8 NOT NULL, name bytea NOT NULL,
      PRIMARY KEY (store, number)))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.loose (
      store int4 NOT NULL, oid bytea NOT NULL, since int8 NOT NULL,
      PRIMARY KEY (store, oid)))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.properties (
      store int4 NOT NULL, key bytea NOT NULL, value bytea NOT NULL,
      PRIMARY KEY (store, key)))"),
    Statement(R"(CREATE TABLE IF NOT EXISTS spoor.locals (
      store int4 NOT NULL, workspace bytea NOT NULL, key bytea NOT NULL, value bytea NOT NULL,
      PRIMARY KEY (store, workspace, key)))"),
    Statement(R"(CREATE UNLOGGED TABLE IF NOT EXISTS spoor.cached (
      store int4 NOT NULL, key bytea NOT NULL, value bytea NOT NULL,
      PRIMARY KEY (store, key)))"),
};

}  // namespace

const Statement kVersion("SELECT number FROM spoor.version");
const Statement kRefuse(R"(
  CREATE OR REPLACE FUNCTION spoor.refuse(state text) RETURNS int8
    LANGUAGE plpgsql SET search_path = pg_catalog AS
    $$BEGIN RAISE EXCEPTION USING ERRCODE = state, MESSAGE = CASE state
      WHEN '42501' THEN 'permission denied for this store'
      ELSE 'a condition does not hold' END; END$$)");

Result<void> create_tables(Connection& connection) {
  std::vector<Statement> steps(std::begin(kTables), std::end(kTables));
  steps.push_back(kRefuse);
  steps.push_back(roles_step());
  steps.push_back(kVersion);
  TRY(check_version(TRY(connection.run(steps)).back()));
  return {};
}

Result<std::int64_t> check_version(const Rows& rows) {
  const std::int64_t version = rows.size() == 1 ? rows.number(0, 0) : 0;
  if (version >= 1 && version <= kSchemaVersion) return version;
  return unavailable(fmt::format("the tables in the database are of version {}, this program "
                                 "knows version {}",
                                 version, kSchemaVersion),
                     "use the version of spoor that made them, or a later one");
}

}  // namespace spoor::store::postgres
