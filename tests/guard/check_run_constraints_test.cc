#include "guard/check/run_constraints.h"

#include <doctest/doctest.h>

namespace spoor::guard::check {

TEST_SUITE("guard/check/run_constraints") {
  TEST_CASE("what a run keeps of its constraints is read back out of its options") {
    const RunConstraints kept{.file = "[[constraint]]\nid = \"a\"\nrule = \"be kind\"\n",
                              .texts = {"scope: only src/"},
                              .is_enforced = true};
    const std::string options =
        "{\"caller\":{\"constraints\":" + write_run_constraints(kept) + "},\"planner\":\"react\"}";
    CHECK(read_run_constraints(options) == kept);
    const auto constraints = constraints_in(options);
    REQUIRE(constraints.size() == 2);
    CHECK(constraints[0].id == "a");
    CHECK(constraints[1].id == "request-1");
    CHECK(constraints[1].rule == "only src/");
  }

  TEST_CASE("options without any have none, and what cannot be read any more is unknown") {
    for (const char* options : {"", "{}", "[]", "{\"caller\":{\"constraints\":3}}"}) {
      CHECK(read_run_constraints(options).empty());
      CHECK(constraints_in(options).empty());
    }
    const auto broken = constraints_in("{\"caller\":{\"constraints\":{\"file\":\"x = 1\"}}}");
    REQUIRE(broken.size() == 1);
    CHECK(broken[0].id == "unknown");
  }
}

}  // namespace spoor::guard::check
