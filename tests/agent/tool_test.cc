#include "agent/tool.h"

#include <doctest/doctest.h>

namespace spoor::agent {

TEST_SUITE("agent/tool") {
  TEST_CASE("a failure says so, and its text does not") {
    CHECK(failed("no such file") == ToolResult{.text = "no such file", .is_error = true});
    CHECK_FALSE(gave("error: that is a text").is_error);
    CHECK(gave_json("{}").is_json);
  }
}

}  // namespace spoor::agent
