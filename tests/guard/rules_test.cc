// The built-in rules: each finds its positive examples and none of its negative ones.
#include <doctest/doctest.h>

#include "guard/redact/rule.h"
#include "guard/redact/rule_set.h"

namespace spoor::guard {

TEST_SUITE("guard/redact/rules") {
  TEST_CASE("every built-in rule compiles, and does what its examples say") {
    const auto rules = RuleSet::with_builtin();
    REQUIRE(rules);
    REQUIRE(rules.value()->compile());
    const auto failures = failing_examples(*rules.value());
    REQUIRE(failures);
    for (const ExampleFailure& failure : failures.value()) {
      FAIL_CHECK(failure.rule, ": ", failure.problem, ": ", failure.text);
    }
  }

  TEST_CASE("there are 60 of them at least, each with examples of both kinds") {
    const auto file = read_rules(builtin_rules(), "rules.toml");
    REQUIRE(file);
    CHECK(file.value().rules.size() >= 60);
    for (const Rule& rule : file.value().rules) {
      CHECK_MESSAGE(!rule.positive.empty(), rule.id);
      CHECK_MESSAGE(!rule.negative.empty(), rule.id);
      CHECK_MESSAGE(!rule.description.empty(), rule.id);
    }
  }

  TEST_CASE("a rule that does not do what its examples say is told") {
    auto file = read_rules(R"(
[[rules]]
id = "mine"
regex = "XX[0-9]{4}"
positive = ["XX12", "XX1234"]
negative = ["XX9999"]
)",
                           "mine.toml");
    REQUIRE(file);
    const RuleSet rules(file.value().rules);
    const auto failures = failing_examples(rules);
    REQUIRE(failures);
    REQUIRE(failures.value().size() == 2);
    CHECK(failures.value()[0].text == "XX12");
    CHECK(failures.value()[1].text == "XX9999");
  }
}

}  // namespace spoor::guard
