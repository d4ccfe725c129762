#include "import/claude_code/waiting.h"

#include <doctest/doctest.h>

#include <string>

using spoor::import::claude_code::RecentPrompts;

TEST_SUITE("import/recent_prompts") {
  TEST_CASE("a prompt on one line, or its beginning with an ellipsis, is a repetition") {
    RecentPrompts prompts;
    prompts.add("Look at the tide table.\nIt is off by one hour, and has been since Sunday.");
    CHECK(prompts.repeats(
        "Look at the tide table. It is off by one hour, and has been since Sunday."));
    CHECK(prompts.repeats("Look at the tide table. It is off by one hour,\u2026"));
    CHECK(prompts.repeats("Look at the tide table.  It is off by one \u2026"));
  }

  TEST_CASE("anything else is not") {
    RecentPrompts prompts;
    prompts.add("Look at the tide table.\nIt is off by one hour, and has been since Sunday.");
    CHECK_FALSE(prompts.repeats("Look at the tide table. It is off by one hour,"));
    CHECK_FALSE(prompts.repeats("Look\u2026"));
    CHECK_FALSE(prompts.repeats(""));
    CHECK_FALSE(prompts.repeats("Look at the moon table, please, and tell me\u2026"));
  }

  TEST_CASE("a prompt longer than what is kept is only known by its beginning") {
    RecentPrompts prompts;
    prompts.add(std::string(5000, 'x'));
    CHECK_FALSE(prompts.repeats(std::string(2048, 'x')));
    CHECK(prompts.repeats(std::string(200, 'x') + "\u2026"));
  }
}
