#include "api/commands/sessions.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "compile/fact.h"
#include "graph/rewrite.h"
#include "tests/api/stage.h"

namespace {

using spoor::api::find_session;
using spoor::api::SessionRow;
using spoor::testing::ApiStage;
using spoor::testing::arguments;

// A record of a Claude Code session; `more` goes into it.
std::string record(const std::string& session, const std::string& uuid, const std::string& parent,
                   const std::string& type, const std::string& message) {
  return fmt::format(
      R"({{"type":"{}","uuid":"{}","parentUuid":{},"sessionId":"{}","cwd":"/home/ada/project",)"
      R"("version":"2.1.0","timestamp":"2026-03-0{}T10:00:00.000Z","isSidechain":false,)"
      R"("userType":"external","message":{}}})"
      "\n",
      type, uuid, parent.empty() ? "null" : '"' + parent + '"', session, session.substr(0, 1),
      message);
}

std::string asked(const std::string& session, const std::string& text) {
  return record(session, session + "-1", "", "user",
                fmt::format(R"({{"role":"user","content":"{}"}})", text));
}

std::string answered(const std::string& session, const std::string& content) {
  return record(session, session + "-2", session + "-1", "assistant",
                fmt::format(R"({{"id":"msg_{}","type":"message","role":"assistant",)"
                            R"("model":"claude-opus-4-6","content":[{}],"stop_reason":"end_turn",)"
                            R"("usage":{{"input_tokens":10,"output_tokens":5}}}})",
                            session, content));
}

const std::string kText = R"({"type":"text","text":"done"})";
const std::string kCall =
    R"({"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"rm -r build"}})";

TEST_SUITE("api/sessions") {
  TEST_CASE("sessions are listed newest first and numbered from the oldest") {
    ApiStage stage;
    stage.import_text("b", asked("2aaaaaaa", "second") + answered("2aaaaaaa", kText));
    stage.import_text("a", asked("1bbbbbbb", "first") + answered("1bbbbbbb", kText));
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].title == "second");
    CHECK(rows[0].number == 2);
    CHECK(rows[0].session == "claude-code/2aaaaaaa");
    CHECK(rows[0].agent == "claude-code");
    CHECK(rows[0].project == "/home/ada/project");
    CHECK(rows[1].title == "first");
    CHECK(rows[1].number == 1);
    CHECK(rows[1].answers == 1);
    CHECK(rows[1].output_tokens == 5);
    CHECK(rows[1].models == std::vector<std::string>{"claude-opus-4-6"});
  }

  TEST_CASE("a session ends finished with an answer, interrupted with a call or a request") {
    ApiStage stage;
    stage.import_text("a", asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText));
    stage.import_text("b", asked("2aaaaaaa", "two") + answered("2aaaaaaa", kCall));
    stage.import_text("c", asked("3aaaaaaa", "three"));
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].outcome == "interrupted");
    CHECK(rows[1].outcome == "interrupted");
    CHECK(rows[2].outcome == "finished");
    CHECK(stage.rows(spoor::api::kSessions, arguments({{"--failed", ""}})).size() == 2);
  }

  TEST_CASE("a command to the agent's program after the last answer interrupts nothing") {
    ApiStage stage;
    stage.import_text(
        "a", asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText) +
                 record("1aaaaaaa", "u3", "1aaaaaaa-2", "user",
                        R"({"role":"user","content":"<command-name>/exit</command-name>"})"));
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].outcome == "finished");
  }

  TEST_CASE("the agent's own title wins over the first request") {
    ApiStage stage;
    stage.import_text("a",
                      asked("1aaaaaaa", "please do it") + answered("1aaaaaaa", kText) +
                          R"({"type":"ai-title","sessionId":"1aaaaaaa","aiTitle":"Made up"})"
                          "\n"
                          R"({"type":"custom-title","sessionId":"1aaaaaaa","customTitle":"Mine"})"
                          "\n");
    stage.import_text(
        "b", asked("2aaaaaaa", "another") + answered("2aaaaaaa", kText) +
                 R"({"type":"summary","summary":"Of its own","leafUuid":"2aaaaaaa-2"})"
                 "\n"
                 R"({"type":"summary","summary":"Of another session","leafUuid":"1aaaaaaa-2"})"
                 "\n");
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].title == "Of its own");
    CHECK(rows[1].title == "Mine");
  }

  TEST_CASE("the title is the first text that a person wrote, in one line") {
    ApiStage stage;
    stage.import_text("a", asked("1aaaaaaa", "<command-name>/clear</command-name>") +
                               answered("1aaaaaaa", kText) +
                               record("1aaaaaaa", "u3", "1aaaaaaa-2", "user",
                                      R"({"role":"user","content":"fix\nthe bug"})"));
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].title == "fix the bug");
  }

  TEST_CASE("a branch of our own is a session of spoor") {
    ApiStage stage;
    stage.workspace.repository().branch("main").user("hello").value();
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].agent == "spoor");
    CHECK(rows[0].session == "main");
    CHECK(rows[0].title == "hello");
  }

  TEST_CASE("a fork of an imported session is a branch of that session, and counts no turn twice") {
    ApiStage stage;
    stage.import_text("a", asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText));
    auto& repository = stage.workspace.repository();
    const auto tip = repository.resolve("claude-code/1aaaaaaa").value();
    repository.create_branch("fork", tip).value();
    CHECK(stage.rows(spoor::api::kSessions).size() == 1);
    repository.branch("fork").user("more").value();
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].session == "claude-code/1aaaaaaa");
    CHECK(rows[0].branches == std::vector<std::string>{"claude-code/1aaaaaaa", "fork"});
    CHECK(rows[0].turns == 3);
    CHECK(rows[0].answers == 1);
    CHECK(rows[0].outcome == "finished");
  }

  TEST_CASE("copies of turns, and turns that a resumed session shares, are counted once") {
    ApiStage stage;
    stage.import_text("a", asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText));
    auto& repository = stage.workspace.repository();
    const auto tip = repository.resolve("claude-code/1aaaaaaa").value();
    repository
        .transact("fork", spoor::graph::OnConflict::fail,
                  [&](spoor::graph::Draft& draft) -> spoor::Result<void> {
                    TRY(draft.move("refs/heads/fork", tip));
                    const auto root = TRY(draft.append_to(
                        std::nullopt, {.type = spoor::store::Type::system, .text = "be terse"}));
                    TRY(spoor::graph::rebase(draft, repository.reader(), "refs/heads/fork", root));
                    return {};
                  })
        .value();
    repository.branch("fork").user("more").value();
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].answers == 1);
    CHECK(rows[0].output_tokens == 5);
    CHECK(rows[0].branches == std::vector<std::string>{"claude-code/1aaaaaaa", "fork"});
  }

  TEST_CASE("what two sessions share is counted in one of them") {
    ApiStage stage;
    const std::string first = asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText);
    stage.import_text("a", first);
    auto& repository = stage.workspace.repository();
    const auto tip = repository.resolve("claude-code/1aaaaaaa").value();
    spoor::compile::Turn turn{.type = spoor::store::Type::user, .text = "go on"};
    turn.facts.set(spoor::fact::source, "claude-code");
    turn.facts.set(spoor::fact::session, "2bbbbbbb");
    turn.time = spoor::parse_rfc3339("2026-03-05T10:00:00Z").value();
    repository.create_branch("claude-code/2bbbbbbb", tip).value();
    repository.branch("claude-code/2bbbbbbb").commit(turn).value();
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].answers + rows[1].answers == 1);
    CHECK(rows[0].turns + rows[1].turns == 3);
  }

  TEST_CASE("branches of our own that begin with one commit are one session") {
    ApiStage stage;
    auto& repository = stage.workspace.repository();
    repository.branch("topic").user("hello").value();
    repository.create_branch("main", repository.branch("topic").tip().value().value()).value();
    repository.branch("topic").user("more").value();
    repository.branch("other").user("else").value();
    const auto rows = stage.rows(spoor::api::kSessions);
    REQUIRE(rows.size() == 2);
    const auto& both = rows[0].branches.size() == 2 ? rows[0] : rows[1];
    CHECK(both.session == "main");
    CHECK(both.turns == 2);
  }

  TEST_CASE("a session is found by its number, its branch and the beginning of its id") {
    ApiStage stage;
    stage.import_text("a", asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText));
    stage.import_text("b", asked("1aaabbbb", "two") + answered("1aaabbbb", kText));
    CHECK(find_session(stage.context, "2").value().facts.title == "two");
    CHECK(find_session(stage.context, "claude-code/1aaaaaaa").value().facts.title == "one");
    CHECK(find_session(stage.context, "1aaab").value().facts.title == "two");
    const auto many = find_session(stage.context, "1aaa");
    REQUIRE(!many);
    CHECK(many.error().code == spoor::Error::Code::ambiguous);
    const auto none = find_session(stage.context, "7");
    REQUIRE(!none);
    CHECK(none.error().code == spoor::Error::Code::not_found);
    CHECK(none.error().hint == "list them with 'spoor sessions'");
  }

  TEST_CASE("a session that grew is read again, and one that did not is not") {
    ApiStage stage;
    stage.import_text("a", asked("1aaaaaaa", "one"));
    CHECK(stage.rows(spoor::api::kSessions).front().turns == 1);
    CHECK(stage.rows(spoor::api::kSessions).front().turns == 1);
    stage.import_text("a", asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText));
    CHECK(stage.rows(spoor::api::kSessions).front().turns == 2);
    CHECK(stage.rows(spoor::api::kSessions).front().outcome == "finished");
  }

  TEST_CASE("filters fit together") {
    ApiStage stage;
    stage.import_text("a", asked("1aaaaaaa", "one") + answered("1aaaaaaa", kText));
    stage.import_text("b", asked("2aaaaaaa", "two") + answered("2aaaaaaa", kText));
    const auto count = [&](std::initializer_list<std::pair<const char*, const char*>> values) {
      return stage.rows(spoor::api::kSessions, arguments(values)).size();
    };
    CHECK(count({{"--since", "2026-03-02"}}) == 1);
    CHECK(count({{"--agent", "claude-code"}}) == 2);
    CHECK(count({{"--agent", "codex"}}) == 0);
    CHECK(count({{"--model", "opus"}, {"--project", "ada"}}) == 2);
    CHECK(count({{"--model", "sonnet"}}) == 0);
    CHECK(count({{"--limit", "1"}}) == 1);
    CHECK(count({{"--limit", "0"}}) == 0);
  }
}

}  // namespace
