// What a history is known to contain.
#include <doctest/doctest.h>

#include "tests/trace/stage.h"
#include "trace/coverage.h"

using namespace spoor;
using namespace spoor::testing;

TEST_SUITE("trace/coverage") {
  TEST_CASE("what an agent writes in an answer's place is not an answer of a model") {
    TraceStage stage;
    stage.user("Where are we?");
    stage.answer("Here.", {}, "msg_1", R"({"input_tokens":10,"output_tokens":2})");
    stage.answer("No response requested.", {}, "msg_2", R"({"input_tokens":0,"output_tokens":0})");
    stage.answer("There.", {}, "msg_3");  // It is not known what it took.
    const auto tip = stage.branch.tip().value().value();
    CHECK(trace::coverage_of(*stage.repository, tip, nullptr).value().answers == 2);
  }
}
