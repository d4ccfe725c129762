#include <doctest/doctest.h>

#include "guard/check/builtin.h"
#include "guard/check/checks.h"
#include "tests/guard/check_events.h"

namespace spoor::guard::check {

using trace::CheckStatus;

namespace {

constexpr const char* kTags = "\U000e0072\U000e006d\U000e0020\U000e002d\U000e0072";  // "rm -r"

DecisionEvent of_result(const std::string& text) {
  DecisionEvent event = of_argv({"store", "cat", "page.html"});
  event.agent_action.tool_results.front().output = full_content(text);
  return event;
}

}  // namespace

TEST_SUITE("guard/check/hidden") {
  TEST_CASE("tag characters in a tool's result are found, and read") {
    const auto check = make_hidden();
    const auto result = check->judge(of_result(std::string("a page") + kTags)).value();
    REQUIRE(ids_of(result) == "hidden.text");
    CHECK(result->status == CheckStatus::fail);
    CHECK(result->violations[0].evidence.text == "rm -r");
    CHECK(result->violations[0].message.text ==
          "the result of 'run_command' has 5 invisible characters");
  }

  TEST_CASE("a long run of invisible characters is found, a single one is not") {
    const auto check = make_hidden();
    std::string run = "a";
    for (int i = 0; i < 8; ++i) run += "\u200b";
    CHECK(ids_of(check->judge(of_result(run)).value()) == "hidden.text");
    CHECK(ids_of(check->judge(of_result("\ufeffa\u00adb\u200bc")).value()).empty());
    CHECK(ids_of(check->judge(of_result("👩\u200d💻 ❤\ufe0f")).value()).empty());
  }

  TEST_CASE("what a user asked is looked at once, and named by its commit") {
    const auto check = make_hidden();
    DecisionEvent event = of_result("plain");
    event.request.request_id = std::string(64, 'a');
    event.request.user_request_raw = full_content(std::string("do it") + kTags);
    const auto result = check->judge(event).value();
    REQUIRE(ids_of(result) == "hidden.text");
    CHECK(result->violations[0].message.text == "the request aaaaaaaa has 5 invisible characters");
    check->observe(event);
    CHECK(ids_of(check->judge(event).value()).empty());
  }

  TEST_CASE("a text that is not there is unknown") {
    const auto check = make_hidden();
    DecisionEvent event = of_result("x");
    event.agent_action.tool_results.front().output = {};
    event.agent_action.tool_results.front().output.mode = Content::Mode::hashed;
    CHECK(check->judge(event).value()->status == CheckStatus::unknown);
  }

  TEST_CASE("a file of constraints names the check, which has no member and gates no call") {
    const auto rules = read_constraints("[[constraint]]\nid = \"seen\"\ncheck = \"hidden\"\n", "f");
    REQUIRE(rules);
    CHECK(rules->rules[0].constraint.rule == "no hidden text");
    CHECK(rules->rules[0].constraint.type == Constraint::Type::safety);
    CHECK_FALSE(can_gate(rules->rules[0]));
    auto checks = Checks::make(*rules, {});
    REQUIRE(checks);
    CHECK(checks->judge(of_result(kTags)).front().status == CheckStatus::fail);
    CHECK_FALSE(read_constraints(
        "[[constraint]]\nid = \"seen\"\ncheck = \"hidden\"\nonly = [\"a\"]\n", "f"));
  }
}

}  // namespace spoor::guard::check
