#include "cli/git/work_tree.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "base/files.h"
#include "tests/cli/temporary_folder.h"

namespace spoor::cli::git {

using test::TemporaryFolder;

TEST_SUITE("cli/git/work_tree") {
  TEST_CASE("a folder's repository and branch are read out of git's own files") {
    const TemporaryFolder folder;
    const std::string top = folder.path + "/top";
    REQUIRE(std::filesystem::create_directories(top + "/src/deep"));
    CHECK_FALSE(find_work_tree(top + "/src/deep"));

    REQUIRE(write_file(top + "/.git/HEAD", "ref: refs/heads/topic/one\n", 0600));
    CHECK(find_work_tree(top) == WorkTree{top, "topic/one"});
    CHECK(find_work_tree(top + "/src/deep/") == WorkTree{top, "topic/one"});
    CHECK(find_work_tree(top + "/src/../src") == WorkTree{top, "topic/one"});

    REQUIRE(write_file(top + "/.git/HEAD", "1a2b3c4d\n", 0600));
    CHECK(find_work_tree(top) == WorkTree{top, ""});
    REQUIRE(write_file(top + "/.git/HEAD", "ref: refs/heads/.invalid\n", 0600));
    CHECK(find_work_tree(top) == WorkTree{top, ""});
    REQUIRE(write_file(top + "/.git/HEAD", "ref: refs/heads/" + std::string(5'000, 'x'), 0600));
    CHECK(find_work_tree(top) == WorkTree{top, ""});

    // A second work tree of it, and what only looks like one.
    REQUIRE(write_file(top + "/.git/worktrees/w/HEAD", "ref: refs/heads/two\n", 0600));
    REQUIRE(write_file(folder.path + "/w/.git", "gitdir: ../top/.git/worktrees/w\n", 0600));
    CHECK(find_work_tree(folder.path + "/w") == WorkTree{folder.path + "/w", "two"});
    REQUIRE(write_file(folder.path + "/v/.git", "no\n", 0600));
    CHECK_FALSE(find_work_tree(folder.path + "/v"));
  }
}

}  // namespace spoor::cli::git
