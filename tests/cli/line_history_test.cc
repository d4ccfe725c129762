#include "cli/repl/line_history.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/stat.h>

#include <doctest/doctest.h>

#include "tests/cli/temporary_folder.h"

using namespace spoor;
using namespace spoor::cli;
using Lines = std::vector<std::string>;

namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

LineHistory loaded(const std::string& path) {
  LineHistory history(path);
  REQUIRE(history.load());
  return history;
}

}  // namespace

TEST_SUITE("cli/line_history") {
  TEST_CASE("a line that begins with a blank is not kept, nor a repeated one, nor nothing") {
    LineHistory history;
    CHECK(history.add("log").value());
    CHECK(!history.add("log").value());
    CHECK(!history.add(" secret").value());
    CHECK(!history.add("\tsecret").value());
    CHECK(!history.add("").value());
    CHECK(!history.add("\n").value());
    CHECK(history.add("status").value());
    CHECK(history.add("log").value());
    CHECK(history.lines() == Lines{"log", "status", "log"});
  }

  TEST_CASE("the next session sees what this one kept, line ends and backslashes too") {
    const spoor::test::TemporaryFolder folder;
    const std::string path = folder.path + "/state/spoor/history";
    LineHistory history = loaded(path);
    REQUIRE(history.add("user 'a\nb'"));
    REQUIRE(history.add("user c\\n"));
    REQUIRE(history.add("漢字"));
    CHECK(loaded(path).lines() == Lines{"user 'a\nb'", "user c\\n", "漢字"});
  }

  TEST_CASE("the file is its owner's alone, even if it was not before") {
    const spoor::test::TemporaryFolder folder;
    const std::string path = folder.path + "/history";
    std::ofstream(path) << "log\n";
    ::chmod(path.c_str(), 0644);
    LineHistory history = loaded(path);
    REQUIRE(history.add("status"));
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
    CHECK(read_all(path) == "log\nstatus\n");
  }

  TEST_CASE("two sessions at once keep each other's lines") {
    const spoor::test::TemporaryFolder folder;
    const std::string path = folder.path + "/history";
    LineHistory one = loaded(path);
    LineHistory two = loaded(path);
    REQUIRE(one.add("a"));
    REQUIRE(two.add("b"));
    REQUIRE(one.add("c"));
    CHECK(loaded(path).lines() == Lines{"a", "b", "c"});
  }

  TEST_CASE("a file grown to twice the length is cut to the newest lines") {
    const spoor::test::TemporaryFolder folder;
    const std::string path = folder.path + "/history";
    std::string text;
    for (std::size_t i = 0; i < 2 * LineHistory::kMostLines; ++i) text += std::to_string(i) + "\n";
    std::ofstream(path) << text;
    const LineHistory history = loaded(path);
    CHECK(history.lines().size() == LineHistory::kMostLines);
    CHECK(history.lines().back() == std::to_string(2 * LineHistory::kMostLines - 1));
    CHECK(loaded(path).lines() == history.lines());
    CHECK(read_all(path).size() < text.size());
  }

  TEST_CASE("a folder that cannot be written is an error, and the line is kept here") {
    LineHistory history("/proc/nosuch/history");
    CHECK(!history.add("log"));
    CHECK(history.lines() == Lines{"log"});
  }
}
