#include "api/commands/requests.h"

#include <doctest/doctest.h>

#include "api/commands/sessions.h"
#include "api/commands/timeline.h"
#include "tests/api/stage.h"

namespace {

using spoor::testing::ApiStage;
using spoor::testing::arguments;

TEST_SUITE("api/requests") {
  TEST_CASE("actions are gathered under the request that led to them, newest request first") {
    ApiStage stage;
    stage.import_fixture("../../../examples/data/sample-session.jsonl");
    const auto rows = stage.rows(spoor::api::kRequests, arguments({{"revision", "1"}}));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].number == 2);
    CHECK(rows[1].number == 1);
    CHECK(rows[0].text.starts_with("Thanks. Don't leave that cent"));
    std::vector<std::string> kinds;
    for (const auto& action : rows[0].actions) kinds.push_back(action.kind);
    CHECK(kinds == std::vector<std::string>{"thinking", "text", "call", "call", "call", "call",
                                            "call", "thinking", "text"});
    const auto& edit = rows[0].actions[2];
    CHECK(edit.tool == "Edit");
    CHECK(edit.target == "/home/dev/shop/tests/test_receipt.py");
    CHECK(edit.outcome == "ok");
    CHECK(edit.lines_added == 5);
    CHECK(edit.duration_ms == 11'220);
    CHECK(stage.rows(spoor::api::kRequests, arguments({{"revision", "1"}, {"--limit", "1"}}))
              .size() == 1);
  }

  TEST_CASE("a command to the agent's program is a note of the request before it") {
    ApiStage stage;
    auto branch = stage.workspace.repository().branch("main");
    branch.user("fix it").value();
    branch.assistant("done").value();
    branch.user("<command-name>/exit</command-name>").value();
    branch.user("[Request interrupted by user]").value();
    const auto rows = stage.rows(spoor::api::kRequests, arguments({{"revision", "main"}}));
    REQUIRE(rows.size() == 1);
    REQUIRE(rows[0].actions.size() == 3);
    CHECK(rows[0].actions[0].kind == "text");
    CHECK(rows[0].actions[1].kind == "note");
    CHECK(rows[0].actions[2].kind == "note");
  }

  TEST_CASE("a call without a result is shown under the request that led to it") {
    ApiStage stage;
    auto branch = stage.workspace.repository().branch("main");
    branch.user("first").value();
    branch.assistant("", {{"c1", "Bash", "{}"}}).value();
    branch.user("second").value();
    branch.assistant("done").value();
    const auto rows = stage.rows(spoor::api::kRequests, arguments({{"revision", "main"}}));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].actions.size() == 1);
    REQUIRE(rows[1].actions.size() == 1);
    CHECK(rows[1].actions[0].outcome == "unanswered");
  }

  TEST_CASE("a result whose call is not recorded is shown, and counted by nobody") {
    ApiStage stage;
    auto branch = stage.workspace.repository().branch("main");
    branch.user("first").value();
    branch.assistant("", {{"c1", "Bash", "{}"}}).value();
    branch.tool("done", "c1", "Bash").value();
    branch.tool("out of nowhere", "c7", "Bash").value();
    branch.assistant("well").value();
    const auto rows = stage.rows(spoor::api::kRequests, arguments({{"revision", "main"}}));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].actions.size() == 3);
    CHECK(rows[0].calls == 1);
    const auto sessions = stage.rows(spoor::api::kSessions);
    REQUIRE(sessions.size() == 1);
    CHECK(sessions[0].calls == 1);
    const auto time =
        stage.rows(spoor::api::kTimeline, arguments({{"revision", "main"}, {"--buckets", "1"}}));
    REQUIRE(time.size() == 1);
    CHECK(time[0].calls == 1);
  }

  TEST_CASE("what precedes the first request is row 0, and an empty branch has no rows") {
    ApiStage stage;
    CHECK(stage.rows(spoor::api::kRequests).empty());
    stage.workspace.repository().branch("main").assistant("hello").value();
    const auto rows = stage.rows(spoor::api::kRequests);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].number == 0);
    CHECK(!rows[0].commit);
  }
}

}  // namespace
