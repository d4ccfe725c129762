#include "cli/terminal/width.h"

#include <doctest/doctest.h>

using namespace spoor;
using namespace spoor::cli;

TEST_SUITE("cli/width") {
  TEST_CASE("wide characters take two columns, combining ones none") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("漢字") == 4);
    CHECK(display_width("🙂") == 2);
    CHECK(display_width("e\u0301") == 1);
    CHECK(display_width("\u200b") == 0);
    CHECK(display_width("한\u1112\u1161\u11ab") == 4);
    CHECK(display_width("का") == 2);
    CHECK(display_width("\u00ad\u2192é") == 3);
    CHECK(display_width("⌚🏴󠁧󠁿") == 4);
  }

  TEST_CASE("an unassigned character takes one column, or two among emoji and ideographs") {
    CHECK(display_width("\u0378") == 1);
    CHECK(display_width("\U0001faff") == 2);
    CHECK(display_width("\U0003fff0") == 2);
    CHECK(display_width("\U000f0000") == 1);
  }

  TEST_CASE("what is cut ends in an ellipsis and fits") {
    CHECK(truncated("hello", 5) == "hello");
    CHECK(truncated("hello!", 5) == "hell…");
    CHECK(truncated("漢字漢字", 5) == "漢字…");
    CHECK(display_width(truncated("漢字漢字", 4)) <= 4);
  }

  TEST_CASE("padding counts columns, not bytes") {
    CHECK(padded("漢", 4) == "漢  ");
    CHECK(padded("long", 2) == "long");
  }

  TEST_CASE("wrapping breaks at blanks, long words anywhere") {
    CHECK(wrapped("aa bb cc", 5) == std::vector<std::string_view>{"aa bb", "cc"});
    CHECK(wrapped("abcdefgh", 3) == std::vector<std::string_view>{"abc", "def", "gh"});
    CHECK(wrapped("a\n\nb", 9) == std::vector<std::string_view>{"a", "", "b"});
    CHECK(wrapped("漢字", 1) == std::vector<std::string_view>{"漢", "字"});
    CHECK(wrapped("", 5) == std::vector<std::string_view>{""});
  }

  TEST_CASE("an indented line keeps its indentation") {
    CHECK(wrapped("    abcdef", 6) == std::vector<std::string_view>{"    ab", "cdef"});
  }
}
