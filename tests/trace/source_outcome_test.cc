// What the result of an agent's own program tells of its call, where nothing but the text does.

#include "trace/source_outcome.h"

#include <doctest/doctest.h>

#include "tests/trace/stage.h"

using namespace spoor;
using testing::TraceStage;
using trace::Outcome;

namespace {

/// What became of a call whose result a source tells so.
Outcome outcome(const std::string& source, const std::string& text, bool is_error) {
  TraceStage stage;
  stage.user("Go.");
  stage.answer("", {{"c1", "edit", "{}"}});
  compile::Turn result{.type = store::Type::tool, .text = text};
  result.fields.call_id = "c1";
  result.fields.is_error = is_error;
  result.facts.set_text("source", source);
  stage.commit(result);
  return stage.all<trace::Call>().at(0).outcome;
}

}  // namespace

TEST_SUITE("trace/source_outcome") {
  TEST_CASE("a call that a person, a rule or a hook refused was not made") {
    CHECK(outcome("claude-code", "Permission to use Bash has been denied.", true) ==
          Outcome::refused);
    CHECK(outcome("claude-code", "This command requires approval", true) == Outcome::refused);
    CHECK(outcome("claude-code",
                  "This Bash command contains multiple operations. The following part requires "
                  "approval: curl x",
                  true) == Outcome::refused);
    CHECK(outcome("claude-code", "PreToolUse:Bash hook error: no", true) == Outcome::refused);
    CHECK(outcome("qwen-code", "Qwen Code requires permission to use \"edit\", but", true) ==
          Outcome::refused);
    CHECK(outcome("gemini-cli", "Tool execution denied by policy.", true) == Outcome::refused);
    CHECK(outcome("opencode", "The user rejected permission to use this specific tool call.",
                  true) == Outcome::refused);
  }

  TEST_CASE("a file that says so is no refusal: its result is no error") {
    CHECK(outcome("claude-code", "Permission to use Bash has been denied.", false) == Outcome::ok);
    CHECK(outcome("pi", "Permission to use Bash has been denied.", true) == Outcome::failed);
  }

  TEST_CASE("Codex marks no result: its own words tell that a call failed or was rejected") {
    CHECK(outcome("codex", "unsupported custom tool call: apply_patch", false) == Outcome::failed);
    CHECK(outcome("codex", "apply_patch verification failed: no such lines", false) ==
          Outcome::failed);
    CHECK(outcome("codex", "exec_command failed: CreateProcess { message: \"Rejected(\\\"no\\\")",
                  false) == Outcome::refused);
    CHECK(outcome("codex", "exec_command failed: no such program", false) == Outcome::failed);
    CHECK(outcome("codex", "Success. Updated the following files:", false) == Outcome::ok);
  }
}
