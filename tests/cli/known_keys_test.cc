// Keys of the environment: what a model or a tool repeats of them reaches no file, in any mode.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "cli/models/open_model.h"
#include "cli/session.h"
#include "cli/terminal/memory_terminal.h"
#include "tests/cli/program.h"
#include "tests/guard/finder.h"
#include "tests/support/holds.h"

namespace spoor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::holds;

const std::string kMark = "[REDACTED:known-key]";

// A key as no rule of redaction knows it.
const std::string kSecret = "plain/words+of+a+house-0192837465";

json message(json content) {
  return {{"choices",
           {{{"finish_reason", content.contains("tool_calls") ? "tool_calls" : "stop"},
             {"message", std::move(content)}}}}};
}

json call(const std::string& tool, const json& arguments) {
  return message({{"role", "assistant"},
                  {"reasoning_content", "I use " + kSecret},
                  {"tool_calls",
                   {{{"id", "c1"},
                     {"type", "function"},
                     {"function", {{"name", tool}, {"arguments", arguments.dump()}}}}}}});
}

json says(const std::string& text) {
  return message({{"role", "assistant"}, {"content", text}, {"reasoning_content", text}});
}

std::string script(const test::Program& spoor, const std::vector<json>& replies) {
  const std::string path = spoor.folder.path + "/replies.jsonl";
  std::ofstream file(path);
  for (const json& reply : replies) file << reply.dump() << '\n';
  return "scripted/" + path;
}

// Files of the program's own, all below its folder, in which a form of the secret stands.
std::vector<std::string> files_with(const test::Program& spoor, const std::string& secret) {
  guard::Finder finder;
  guard::add_forms(finder, secret, 0);
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(spoor.folder.path)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "replies.jsonl" || name == "secret.txt") continue;
    if (!finder.find(guard::bytes_of(entry.path())).empty()) found.push_back(name);
  }
  return found;
}

// What a store says, with its objects decoded.
std::string all_said(test::Program& spoor) {
  return spoor.out({"log", "--all", "--json"}) + spoor.out({"compile", "--json"}) +
         spoor.out({"events"}) + spoor.out({"export", "--jsonl"});
}

struct World : test::Program {
  World() { environment.variables["HOUSE_TOKEN"] = kSecret; }
};

}  // namespace

TEST_SUITE("cli/known_keys") {
  TEST_CASE("in every capture mode no key of the environment is kept, whatever the store says") {
    for (const std::string mode : {"full", "redacted", "hashed"}) {
      CAPTURE(mode);
      World spoor;
      REQUIRE(spoor({"init", "--capture", mode}).status == 0);
      const std::string model = script(spoor, {says("your token is " + kSecret), says("again")});
      const auto made = spoor({"chat", "my token: " + kSecret, "--model", model});
      REQUIRE(made.status == 0);
      // What was only hashed can be gone on with in the process that wrote it.
      CHECK((spoor({"chat", "more", "--model", model}).status == 0) == (mode != "hashed"));
      CHECK(files_with(spoor, kSecret).empty());
      const std::string said = all_said(spoor);
      CHECK_FALSE(holds(said, "0192837465"));
      if (mode != "hashed") CHECK(holds(said, "your token is " + kMark));
      CHECK(spoor({"store", "fsck"}).status == 0);
    }
  }

  TEST_CASE("what tools print of a key is not kept, nor what a model passes to them") {
    for (const std::string mode : {"full", "redacted", "hashed"}) {
      CAPTURE(mode);
      World spoor;
      fs::create_directory(spoor.folder.path + "/project");
      std::ofstream(spoor.folder.path + "/project/secret.txt") << "token = " << kSecret << '\n';
      const std::string model =
          script(spoor, {call("read_file", {{"path", "secret.txt"}}),
                         call("run_command", {{"argv", {"echo", "it is " + kSecret}}}),
                         says("it is " + kSecret)});
      const auto made = spoor({"run", "tell me " + kSecret, "--model", model, "--root", "project",
                               "--tools", "read_file,run_command", "--capture", mode});
      CAPTURE(made.err);
      REQUIRE(made.status == 0);
      CHECK(files_with(spoor, kSecret).empty());
      const std::string said = all_said(spoor);
      if (mode == "full") CHECK(holds(said, "token = " + kMark));
      CHECK_FALSE(holds(said, "0192837465"));
      CHECK(spoor({"store", "fsck"}).status == 0);
    }
  }

  TEST_CASE("a key in the parameters is not kept, and prompt does not call the request exact") {
    World spoor;
    REQUIRE(spoor({"init"}).status == 0);
    const std::string model = script(spoor, {says("one"), says("two")});
    REQUIRE(spoor({"chat", "q", "--model", model, "--params", R"({"user":")" + kSecret + R"("})"})
                .status == 0);
    CHECK(files_with(spoor, kSecret).empty());
    const auto shown = spoor({"prompt", "HEAD"});
    CHECK(shown.status == 1);
    CHECK(holds(shown.err, "cannot rebuild: it held a known key, which was not stored"));
    CHECK_FALSE(holds(shown.err, "verified"));
    CHECK(shown.out.empty());
    const auto json_shown = spoor.out({"prompt", "HEAD", "--json"});
    CHECK(holds(json_shown, "\"cannot_rebuild\""));
    const auto verified = spoor({"events", "--verify"});
    CHECK(verified.status == 0);
    CHECK(holds(verified.out + verified.err, "a key was removed from 1 request"));
    REQUIRE(spoor({"chat", "q", "--model", model}).status == 0);
    CHECK(holds(spoor({"prompt", "HEAD"}).err, "verified"));
  }

  TEST_CASE("the history of the interactive session has no known key in it") {
    World spoor;
    REQUIRE(spoor({"init"}).status == 0);
    cli::MemoryTerminal terminal;
    cli::Session session({terminal, spoor.environment, spoor.clock});
    const std::string model = script(spoor, {says("hi")});
    REQUIRE(cli::OpenModel::open(session, model));
    const auto kept = session.scrubbed("user " + kSecret, compile::Capture::full);
    REQUIRE(kept);
    CHECK(kept->value_or("") == "user " + kMark);
  }

  TEST_CASE("names that do not mean a key, short values and paths of files are kept") {
    World spoor;
    const std::string path = spoor.folder.path + "/a-long-name-of-a-file";
    std::ofstream(path) << "x";
    spoor.environment.variables["DEPLOY_KEY"] = path;
    spoor.environment.variables["DB_PASSWORD"] = "hunter2-hunter2";
    spoor.environment.variables["PROJECT_TITLE"] = "an ordinary title of a project";
    REQUIRE(spoor({"init"}).status == 0);
    const std::string text = path + ", hunter2-hunter2, an ordinary title of a project";
    REQUIRE(spoor({"chat", "q", "--model", script(spoor, {says(text)})}).status == 0);
    CHECK(holds(spoor.out({"compile", "--json"}), text));
  }
}

}  // namespace spoor
