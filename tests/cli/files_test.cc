// What is read as a file, and how much of it.
#include "base/files.h"

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/support/holds.h"

using namespace spoor;
using namespace spoor::cli;
using test::Program;
using testing::holds;

TEST_SUITE("cli/files") {
  TEST_CASE("a file is read up to a limit, and one beyond it is refused") {
    const test::TemporaryFolder folder;
    const std::string path = folder.path + "/a";
    REQUIRE(write_file(path, "12345", 0600));
    CHECK(read_file(path, 5).value() == "12345");
    const auto refused = read_file(path, 4);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::denied);
    CHECK_FALSE(refused.error().hint.empty());
    CHECK(read_file(folder.path + "/none").value() == std::nullopt);
    CHECK(read_given_file(folder.path + "/none").error().code == Error::Code::not_found);
  }

  TEST_CASE("a device and a folder are no files, /dev/null is an empty one") {
    CHECK(read_file("/dev/zero").error().message == "'/dev/zero' is a device, not a file");
    CHECK(read_file("/tmp").error().message == "'/tmp' is a folder, not a file");
    CHECK(read_file("/dev/null").value() == "");
  }

  TEST_CASE("no command reads a device that never ends") {
    Program spoor;
    spoor({"init"});
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"store", "erase", "--text-file", "/dev/zero"},
             {"store", "redact", "test", "/dev/zero"},
             {"store", "redact", "scan", "/dev/zero"},
             {"init", "z", "--capture", "redacted", "--rules", "/dev/zero"},
             {"run", "x", "--instructions", "/dev/zero", "--model", "scripted/x"},
             {"run", "x", "--constraints", "/dev/zero", "--model", "scripted/x"},
             {"chat", "x", "--schema", "/dev/zero", "--model", "scripted//dev/null"},
             {"chat", "x", "--model", "scripted//dev/zero"},
             {"user", "x", "--attach", "/dev/zero"}}) {
      CAPTURE(words[0]);
      const auto refused = spoor(words);
      CHECK(refused.status == 1);
      CHECK(refused.err ==
            "error: '/dev/zero' is a device, not a file\nhint: name a regular file\n");
    }
    CHECK(holds(spoor({"chat", "x", "--model", "scripted/none"}).err, "hint: check the path"));
  }
}
