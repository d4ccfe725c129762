#include "graph/unified_diff.h"

#include <doctest/doctest.h>

namespace spoor::graph {

TEST_SUITE("graph/unified_diff") {
  std::string diff_of(std::string_view before, std::string_view after) {
    return unified_text("x", "x", unified_diff(before, after));
  }

  TEST_CASE("a change stands among three lines of each side") {
    CHECK(diff_of("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
          "--- a/x\n+++ b/x\n"
          "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  }

  TEST_CASE("changes far from each other are two hunks") {
    CHECK(diff_of("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\n") ==
          "--- a/x\n+++ b/x\n"
          "@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-b\n");
  }

  TEST_CASE("equal texts have no diff, not even names") { CHECK(diff_of("a\n", "a\n").empty()); }

  TEST_CASE("a line without an end says so, on its side") {
    CHECK(diff_of("a", "a\n") ==
          "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  }

  TEST_CASE("a file that was made has no name before") {
    CHECK(unified_text("", "new", unified_diff("", "a\n")) ==
          "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n");
  }

  TEST_CASE("names that would be misread are quoted, or ended by a tab") {
    const auto lines = unified_diff("", "a\n");
    CHECK(unified_text("", "two words", lines).find("+++ b/two words\t\n") != std::string::npos);
    CHECK(unified_text("", "a\"b\\c\nd", lines).find("+++ \"b/a\\\"b\\\\c\\012d\"\n") !=
          std::string::npos);
  }

  TEST_CASE("near a change is what stands within so many lines, and never past the ends") {
    CHECK(near_changes({true, false, false, false, true}, 1) ==
          std::vector<bool>{true, true, false, true, true});
    CHECK(near_changes({false, false}, 3) == std::vector<bool>{false, false});
  }
}

}  // namespace spoor::graph
