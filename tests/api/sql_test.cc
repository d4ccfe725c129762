#include "api/commands/sql.h"

#include <doctest/doctest.h>

#include "tests/api/stage.h"

namespace {

using spoor::Error;
using spoor::store::Cell;
using spoor::testing::ApiStage;

struct Answer {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::optional<Error> error;
};

Answer ask(ApiStage& stage, const std::string& sql, std::size_t most = ~std::size_t{0},
           const std::function<bool()>& is_cancelled = {}) {
  Answer answer;
  const auto done = spoor::api::run_sql(
      stage.context, sql,
      {[&](const std::vector<std::string>& columns) { answer.columns = columns; },
       [&](const std::vector<Cell>& row) {
         answer.rows.push_back(row);
         return answer.rows.size() < most;
       }},
      is_cancelled);
  if (!done) answer.error = done.error();
  return answer;
}

TEST_SUITE("api/sql") {
  TEST_CASE("tables hold what the commands list") {
    ApiStage stage;
    stage.import_fixture("../../../examples/data/sample-session.jsonl");
    const Answer calls = ask(stage, "SELECT tool, count(*) FROM calls GROUP BY tool ORDER BY tool");
    REQUIRE(!calls.error);
    CHECK(calls.columns == std::vector<std::string>{"tool", "count(*)"});
    REQUIRE(calls.rows.size() == 4);
    CHECK(calls.rows[0] == std::vector<Cell>{"Bash", std::int64_t{4}});
    CHECK(calls.rows[1] == std::vector<Cell>{"Edit", std::int64_t{6}});
    const Answer joined =
        ask(stage,
            "SELECT s.title, sum(e.lines_added), (SELECT sum(output_tokens) FROM costs) FROM "
            "sessions s JOIN edits e USING (session) WHERE e.path LIKE '%receipt.py'");
    REQUIRE(joined.rows.size() == 1);
    CHECK(joined.rows[0][0] == Cell("Receipt and cart differ by a cent: count in whole cents"));
    CHECK(joined.rows[0][2] == Cell(std::int64_t{3065}));
    CHECK(ask(stage, "SELECT cost_usd FROM sessions").rows[0][0] == Cell(0.1708887));
    CHECK(ask(stage, "SELECT models FROM sessions").rows[0][0] ==
          Cell("[\"claude-sonnet-4-5-20250929\"]"));
  }

  TEST_CASE("every listed column can be read") {
    ApiStage stage;
    stage.import_fixture("../../../examples/data/sample-session.jsonl");
    for (const auto& table : spoor::api::sql_tables()) {
      const Answer all = ask(stage, std::string("SELECT * FROM ") + table.name);
      REQUIRE(!all.error);
      REQUIRE(all.columns.size() == table.columns.size());
      for (std::size_t i = 0; i < all.columns.size(); ++i) {
        CHECK(all.columns[i] == table.columns[i].name);
        CHECK(!table.columns[i].help.empty());
      }
      CHECK(!all.rows.empty());
    }
  }

  TEST_CASE("nothing but one SELECT runs") {
    ApiStage stage;
    for (const char* sql :
         {"DELETE FROM sessions", "DROP TABLE sessions", "CREATE TABLE x(y)",
          "INSERT INTO sessions(number) VALUES (1)", "ATTACH '/tmp/x' AS x", "PRAGMA journal_mode",
          "VACUUM INTO '/tmp/x'", "SELECT load_extension('x')", "CREATE TEMP TABLE x AS SELECT 1",
          "REINDEX", "ANALYZE", "BEGIN", "SAVEPOINT x", "SELECT * FROM pragma_database_list",
          "CREATE VIRTUAL TABLE x USING sessions"}) {
      CAPTURE(sql);
      const Answer answer = ask(stage, sql);
      REQUIRE(answer.error);
      CHECK((answer.error->code == Error::Code::denied ||
             answer.error->code == Error::Code::invalid));
      CHECK(!answer.error->hint.empty());
    }
    for (const char* sql : {"", ";", "-- nothing", "SELECT 1; SELECT 2", "SELEC 1", "SELECT 'a",
                            "SELECT nosuch FROM sessions", "SELECT * FROM nosuch",
                            "SELECT readfile('/etc/passwd')"}) {
      CAPTURE(sql);
      const Answer answer = ask(stage, sql);
      REQUIRE(answer.error);
      CHECK(answer.error->code == Error::Code::invalid);
    }
    CHECK(!ask(stage, "SELECT 1; ").error);
    CHECK(!ask(stage, "WITH a AS (SELECT 1 AS b) SELECT b FROM a").error);
  }

  TEST_CASE("a query ends when it is cancelled, and when no more rows are wanted") {
    ApiStage stage;
    const std::string endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) ";
    const Answer some = ask(stage, endless + "SELECT x FROM n", 3);
    CHECK(!some.error);
    CHECK(some.rows.size() == 3);
    int asked = 0;
    const Answer stopped =
        ask(stage, endless + "SELECT max(x) FROM n", 1, [&] { return ++asked > 5; });
    REQUIRE(stopped.error);
    CHECK(stopped.error->code == Error::Code::interrupted);
  }
}

}  // namespace
