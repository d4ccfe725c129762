#include "api/commands/turns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "api/commands/lines.h"
#include "api/commands/requests.h"
#include "api/commands/sessions.h"
#include "api/commands/timeline.h"
#include "tests/api/stage.h"

namespace {

using spoor::api::TurnRow;
using spoor::testing::ApiStage;
using spoor::testing::arguments;

const char* const kSample = "../../../examples/data/sample-session.jsonl";

// Two hundred turns: a request, then calls with their results, some of which fail.
void write_long(ApiStage& stage) {
  auto branch = stage.workspace.repository().branch("main");
  branch.user("go").value();
  for (int i = 0; i < 100; ++i) {
    const std::string id = fmt::format("c{}", i);
    branch.assistant("", {{id, "Bash", fmt::format(R"({{"command":"step {}"}})", i)}}).value();
    branch.tool(fmt::format("result {}", i), id, "Bash", i % 10 == 9).value();
  }
}

TEST_SUITE("api/turns") {
  TEST_CASE("turns are listed by position, oldest first, with calls and their results") {
    ApiStage stage;
    stage.import_fixture(kSample);
    const auto rows = stage.rows(
        spoor::api::kTurns, arguments({{"revision", "1"}, {"--from", "11"}, {"--limit", "4"}}));
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].position == 11);
    CHECK(rows[0].kind == "assistant");
    REQUIRE(rows[0].calls.size() == 1);
    CHECK(rows[0].calls[0].tool == "Edit");
    CHECK(rows[0].calls[0].outcome == "ok");
    CHECK(rows[0].calls[0].position == 12);
    CHECK(rows[0].ends_answer);
    CHECK(rows[0].cache_read_tokens > 10'000);
    REQUIRE(rows[1].calls.size() == 1);
    CHECK(rows[1].calls[0].position == 10);  // The answer begins with prose.
    REQUIRE(rows[1].calls[0].edits.size() == 1);
    CHECK(rows[1].calls[0].edits[0].path == "/home/dev/shop/tests/test_receipt.py");
    CHECK(rows[1].calls[0].edits[0].lines_added == 4);
    CHECK(rows[1].calls[0].edits[0].diff.starts_with("@@ -7,3 +7,7 @@\n     def test_"));
    CHECK(rows[3].is_error);
    CHECK(rows[3].calls[0].exit_code == 1);
    CHECK(rows[3].text.starts_with("Exit code 1"));
  }

  TEST_CASE("a part is the same as that part of the whole") {
    ApiStage stage;
    write_long(stage);
    const auto all = stage.rows(spoor::api::kTurns, arguments({{"--limit", "1000"}}));
    REQUIRE(all.size() == 201);
    for (const std::uint64_t from : {0U, 1U, 2U, 64U, 99U, 150U, 198U, 200U}) {
      const auto part =
          stage.rows(spoor::api::kTurns,
                     arguments({{"--from", std::to_string(from).c_str()}, {"--limit", "7"}}));
      REQUIRE(part.size() == std::min<std::size_t>(7, 201 - from));
      for (std::size_t i = 0; i < part.size(); ++i) {
        const TurnRow& whole = all[from + i];
        CHECK(part[i].commit == whole.commit);
        CHECK(part[i].text == whole.text);
        CHECK(part[i].is_error == whole.is_error);
        REQUIRE(part[i].calls.size() == whole.calls.size());
        for (std::size_t c = 0; c < whole.calls.size(); ++c) {
          CHECK(part[i].calls[c].target == whole.calls[c].target);
          CHECK(part[i].calls[c].outcome == whole.calls[c].outcome);
          CHECK(part[i].calls[c].position == whole.calls[c].position);
        }
      }
    }
  }

  TEST_CASE("without --from it is the end; beyond the end there is nothing") {
    ApiStage stage;
    CHECK(stage.rows(spoor::api::kTurns).empty());
    write_long(stage);
    const auto last = stage.rows(spoor::api::kTurns, arguments({{"--limit", "3"}}));
    REQUIRE(last.size() == 3);
    CHECK(last.back().position == 200);
    CHECK(stage.rows(spoor::api::kTurns, arguments({{"--from", "201"}})).empty());
    CHECK(stage.rows(spoor::api::kTurns, arguments({{"--limit", "0"}})).empty());
  }

  TEST_CASE("texts are cut between characters, and their size is given") {
    ApiStage stage;
    stage.workspace.repository().branch("main").user("\u00e4\u00e4\u00e4").value();
    const auto rows = stage.rows(spoor::api::kTurns, arguments({{"--chars", "3"}}));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].text == "\u00e4");
    CHECK(rows[0].text_bytes == 6);
  }

  TEST_CASE("turns have the marks that later commits gave them") {
    ApiStage stage;
    auto branch = stage.workspace.repository().branch("main");
    const auto first = branch.user("one").value();
    const auto second = branch.assistant("two").value();
    branch.edit(first, "uno").value();
    branch.annotate(second, spoor::store::Priority::skip, "no longer so").value();
    const auto rows = stage.rows(spoor::api::kTurns);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].edited);
    CHECK(rows[0].text == "one");
    CHECK(rows[1].priority == "skip");
    CHECK(rows[2].kind == "edit");
    CHECK(rows[2].targets == std::vector{first});
    CHECK(rows[3].kind == "annotate");
    CHECK(rows[3].targets == std::vector{second});
  }
}

TEST_SUITE("api/timeline") {
  TEST_CASE("pieces cover the line without gaps and add up to the session") {
    ApiStage stage;
    stage.import_fixture(kSample);
    const auto session = stage.rows(spoor::api::kSessions).front();
    for (const char* buckets : {"1", "2", "7", "39", "1000"}) {
      const auto rows =
          stage.rows(spoor::api::kTimeline, arguments({{"revision", "1"}, {"--buckets", buckets}}));
      REQUIRE(!rows.empty());
      std::uint64_t next = 0, output = 0, calls = 0, failed = 0;
      for (const auto& row : rows) {
        CHECK(row.from == next);
        CHECK(row.to >= row.from);
        next = row.to + 1;
        output += row.output_tokens;
        calls += row.calls;
        failed += row.failed_calls;
      }
      CHECK(next == 39);
      CHECK(calls == session.calls);
      CHECK(failed == session.failed_calls);
      CHECK(output > 0);
    }
  }

  TEST_CASE("what failed is in the piece of its result") {
    ApiStage stage;
    write_long(stage);
    const auto rows = stage.rows(spoor::api::kTimeline, arguments({{"--buckets", "1000"}}));
    REQUIRE(rows.size() == 201);
    for (const auto& row : rows) {
      CHECK((row.failed_calls == 1) == (row.from > 0 && row.from % 20 == 0));
    }
  }

  TEST_CASE("an empty branch has no pieces") {
    ApiStage stage;
    CHECK(stage.rows(spoor::api::kTimeline).empty());
  }
}

TEST_SUITE("api/lines") {
  TEST_CASE("the branches of a session are listed with where they part") {
    ApiStage stage;
    stage.import_fixture(kSample);
    const auto rows = stage.rows(spoor::api::kLineList, arguments({{"revision", "1"}}));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].name == "claude-code/5b0e6c1a");
    CHECK(rows[0].length == 39);
    CHECK(rows[0].own == 39);
    CHECK(!rows[0].parts_from);
    CHECK(rows[1].parts_from == "claude-code/5b0e6c1a");
    CHECK(rows[1].parts_at == 24);
    CHECK(rows[1].own == 3);
    REQUIRE(rows[1].base);
    CHECK(stage.workspace.reader().commit(*rows[1].base).value()->depth == 23);
  }

  TEST_CASE("two that are named are compared with each other alone") {
    ApiStage stage;
    stage.import_fixture(kSample);
    spoor::api::Arguments two;
    two.add("revision", "claude-code/5b0e6c1a-2");
    two.add("revision", "claude-code/5b0e6c1a~3");
    const auto rows = stage.rows(spoor::api::kLineList, two);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].length == 27);
    CHECK(rows[1].length == 36);
    CHECK(rows[1].parts_at == 24);
    CHECK(rows[1].own == 12);
  }
}

TEST_SUITE("api/requests, in brief") {
  TEST_CASE("counts are those of the actions, which are left out") {
    ApiStage stage;
    stage.import_fixture(kSample);
    const auto full = stage.rows(spoor::api::kRequests, arguments({{"revision", "1"}}));
    const auto brief =
        stage.rows(spoor::api::kRequests, arguments({{"revision", "1"}, {"--brief", ""}}));
    REQUIRE(brief.size() == full.size());
    for (std::size_t i = 0; i < brief.size(); ++i) {
      CHECK(brief[i].actions.empty());
      CHECK(brief[i].commit == full[i].commit);
      CHECK(brief[i].position == full[i].position);
      CHECK(brief[i].calls == full[i].calls);
      CHECK(brief[i].failed_calls == full[i].failed_calls);
      CHECK(brief[i].ended == full[i].ended);
      CHECK(brief[i].cost_usd == full[i].cost_usd);
    }
    CHECK(brief[0].position == 24);
    CHECK(brief[0].calls == 5);
    CHECK(brief[1].failed_calls == 1);
  }
}

}  // namespace
