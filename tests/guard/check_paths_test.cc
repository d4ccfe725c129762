#include "guard/check/paths.h"

#include <doctest/doctest.h>

namespace spoor::guard::check {

TEST_SUITE("guard/check/paths") {
  TEST_CASE("where a path leads") {
    using Kind = Location::Kind;
    struct Row {
      const char* path;
      const char* folder;
      const char* root;
      Kind kind;
      const char* leads_to;
    };
    for (const Row& row : {
             Row{"src/a", "", "", Kind::inside, "src/a"},
             Row{"./src//b/../a", "", "", Kind::inside, "src/a"},
             Row{"src/../../x", "", "", Kind::outside, "../x"},
             Row{"..", "src", "", Kind::inside, "."},
             Row{"../../x", "src", "", Kind::outside, "../x"},
             Row{"a", "src", "", Kind::inside, "src/a"},
             Row{"/srv/p/src/a", "", "/srv/p", Kind::inside, "src/a"},
             Row{"/srv/p", "", "/srv/p/", Kind::inside, "."},
             Row{"/srv/p/../q", "", "/srv/p", Kind::outside, "/srv/q"},
             Row{"/srv/pp/a", "", "/srv/p", Kind::outside, "/srv/pp/a"},
             Row{"../p/a", "", "/srv/p", Kind::inside, "a"},
             Row{"/etc/passwd", "", "", Kind::open, "/etc/passwd"},
             Row{"a", "/srv/p/src", "/srv/p", Kind::inside, "src/a"},
             Row{"~/a", "", "/srv/p", Kind::outside, "~/a"},
             Row{"$HOME/a", "", "/srv/p", Kind::open, "$HOME/a"},
             Row{"/a", "src", "/", Kind::inside, "a"},
         }) {
      CAPTURE(std::string(row.path));
      CAPTURE(std::string(row.folder));
      CHECK(locate(row.path, row.folder, row.root) == Location{row.kind, row.leads_to});
    }
  }

  TEST_CASE("patterns are from the root, and hold for what lies beneath") {
    CHECK(matches_path("src/", "src/a/b.cc"));
    CHECK(matches_path("src", "src"));
    CHECK(matches_path("src/**", "src/a"));
    CHECK_FALSE(matches_path("src/**", "src"));
    CHECK_FALSE(matches_path("src", "lib/src/a"));
    CHECK_FALSE(matches_path("src", "srcs/a"));
    CHECK(matches_path("**/src", "lib/src/a"));
    CHECK(matches_path("src/*.cc", "src/a.cc"));
    CHECK_FALSE(matches_path("src/*.cc", "src/a/b.cc"));
    CHECK(matches_path("src/**/*.cc", "src/a/b.cc"));
    CHECK(matches_path("src/**/*.cc", "src/b.cc"));
    CHECK_FALSE(matches_path("SRC", "src/a"));
    CHECK(matches_path("**", "a"));
    CHECK_FALSE(matches_path("", "a"));
  }

  TEST_CASE("what is denied is denied at any depth, in any case") {
    CHECK(matches_anywhere("*.tf", "a/b/main.TF"));
    CHECK(matches_anywhere(".github/workflows", ".github/workflows/x.yml"));
    CHECK_FALSE(matches_anywhere(".github/workflows", "docs/.github/workflows/x.yml"));
    CHECK(matches_anywhere("infra/", "a/infra/b"));
    CHECK_FALSE(matches_anywhere("infra", "src/infrared.cc"));
  }

  TEST_CASE("groups are known by their names") {
    for (const std::string_view group : groups()) CHECK(expand_group(group).size() > 5);
    CHECK(expand_group("@nosuch").empty());
    CHECK(expand_group("a") == std::vector<std::string>{"a"});
  }
}

}  // namespace spoor::guard::check
