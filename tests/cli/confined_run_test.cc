#include <sys/prctl.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/posix_only.h"

namespace spoor {
namespace {

namespace fs = std::filesystem;

// A model that makes one call and is done, in each of two runs on one branch.
std::string script_of(const test::Program& spoor, const std::string& tool,
                      const nlohmann::json& arguments) {
  const std::string path = spoor.folder.path + "/script.jsonl";
  const nlohmann::json call = {{"id", "c1"},
                               {"type", "function"},
                               {"function", {{"name", tool}, {"arguments", arguments.dump()}}}};
  const nlohmann::json asks = {{"choices",
                                {{{"finish_reason", "tool_calls"},
                                  {"message", {{"role", "assistant"}, {"tool_calls", {call}}}}}}}};
  const nlohmann::json says = {
      {"choices",
       {{{"finish_reason", "stop"}, {"message", {{"role", "assistant"}, {"content", "done"}}}}}}};
  std::ofstream file(path);
  for (int i = 0; i < 2; ++i) file << asks.dump() << '\n' << says.dump() << '\n';
  return "scripted/" + path;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE("cli/confined_run") {
  TEST_CASE("a run with commands does not begin where they could reach the store") {
    test::Program spoor;
    const std::string model = script_of(spoor, "run_command", {{"argv", {"true"}}});
    spoor({"init"});
    const auto refused =
        spoor({"run", "x", "--store", ".", "--model", model, "--tools", "run_command"});
    CHECK(refused.status == 1);
    CHECK(refused.err.find("error: the store lies in '") != std::string::npos);
    CHECK(refused.err.find("--root") != std::string::npos);
    CHECK(spoor.out({"runs", "--json"}).find("\"run\"") == std::string::npos);
    fs::create_directory(spoor.folder.path + "/project");
    const auto made =
        spoor({"run", "x", "--model", model, "--tools", "run_command", "--root", "project"});
    CHECK(made.status == 0);
  }

  TEST_CASE("no file tool writes the store of its run") {
    test::Program spoor;
    spoor({"init"});
    const auto made =
        spoor({"run", "x", "--store", ".", "--tools", "write_file", "--model",
               script_of(spoor, "write_file", {{"path", ".spoor"}, {"content", ""}})});
    CHECK(made.status == 0);
    CHECK(made.err.find("belongs to the store") != std::string::npos);
    CHECK(spoor({"store", "fsck"}).status == 0);
    CHECK(spoor.out({"log"}).find("belongs to the store") != std::string::npos);
  }

  TEST_CASE("what is write-protected is written where the line allows it, and on resuming") {
    test::Program spoor;
    fs::create_directories(spoor.folder.path + "/.git/hooks");
    const std::string hook = spoor.folder.path + "/.git/hooks/pre-commit";
    const std::string model =
        script_of(spoor, "write_file", {{"path", ".git/hooks/pre-commit"}, {"content", "x"}});
    CHECK(spoor({"run", "x", "--model", model, "--tools", "write_file"})
              .err.find("is write-protected") != std::string::npos);
    CHECK_FALSE(fs::exists(hook));
    spoor({"run", "x", "--model", model, "--tools", "write_file", "--allow-write", ".git",
           "--ask-before", "write_file"});
    CHECK_FALSE(fs::exists(hook));
    CHECK(spoor({"resume", "--approve"}).err.find("is write-protected") == std::string::npos);
    CHECK(bytes_of(hook) == "x");
  }

  TEST_CASE("what may be written lies in the root folder") {
    test::Program spoor;
    fs::create_directories(spoor.folder.path + "/project/.git");
    const std::string model =
        script_of(spoor, "write_file", {{"path", ".git/x"}, {"content", "x"}});
    const auto run = [&](const std::string& path) {
      return spoor({"run", "x", "--model", model, "--tools", "write_file", "--root", "project",
                    "--allow-write", path});
    };
    for (const char* path : {"../x", "a/../../x", "/etc", ""}) {
      CAPTURE(path);
      const auto refused = run(path);
      CHECK(refused.status != 0);
      CHECK(refused.err.find("is not in the root folder") != std::string::npos);
    }
    CHECK(run(spoor.folder.path + "/project/.git").status == 0);
    CHECK(bytes_of(spoor.folder.path + "/project/.git/x") == "x");
  }

  TEST_CASE("a store that is named by its folder is shown as a plain path") {
    test::Program spoor;
    spoor({"init"});
    fs::create_directory(spoor.folder.path + "/other");
    fs::copy_file(spoor.folder.path + "/.spoor", spoor.folder.path + "/other/.spoor");
    const auto refused = spoor({"run", "x", "--store", "./other/.", "--model", "scripted/x"});
    CHECK(refused.err.find("'" + spoor.folder.path + "/other/.spoor' was not made here") !=
          std::string::npos);
  }

  TEST_CASE("the project's own store is not the agent's to write") {
    test::Program spoor;
    spoor({"init"});
    const std::string bytes = bytes_of(spoor.folder.path + "/.spoor");
    const auto made =
        spoor({"run", "x", "--tools", "write_file", "--model",
               script_of(spoor, "write_file", {{"path", ".spoor"}, {"content", ""}})});
    CHECK(made.status == 0);
    CHECK(made.err.find("'.spoor' belongs to a spoor store") != std::string::npos);
    CHECK(bytes_of(spoor.folder.path + "/.spoor") == bytes);
    CHECK(spoor({"store", "fsck"}).status == 0);
  }

  TEST_CASE("commands read further folders where the line allows it") {
    test::Program spoor;
    fs::create_directory(spoor.folder.path + "/project");
    fs::create_directory(spoor.folder.path + "/more");
    std::ofstream(spoor.folder.path + "/more/a") << "from-afar";
    const std::string model =
        script_of(spoor, "run_command", {{"argv", {"cat", spoor.folder.path + "/more/a"}}});
    const std::vector<std::string> line = {"run",     "x",           "--model", model,
                                           "--tools", "run_command", "--root",  "project"};
    CHECK((spoor(line).err.find("from-afar") == std::string::npos) == !testing::kIsPosixOnly);
    std::vector<std::string> allowed = line;
    allowed.insert(allowed.end(), {"--allow-read", "more"});
    CHECK(spoor(allowed).err.find("from-afar") != std::string::npos);
  }

  TEST_CASE("nobody looks into a spoor that runs an agent") {
    test::Program spoor;
    REQUIRE(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
    spoor({"run", "x", "--model", script_of(spoor, "list", nlohmann::json::object()), "--tools",
           "list"});
    CHECK(::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == (testing::kIsPosixOnly ? 1 : 0));
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  }

  TEST_CASE("version says what confines commands") {
    test::Program spoor;
    CHECK(spoor.out({"version"}).find("run_command is confined by ") != std::string::npos);
  }
}

}  // namespace spoor
