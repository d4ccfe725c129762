// Where a run was asked for and on what, from the line to its events.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/version.h"
#include "tests/cli/program.h"

namespace spoor::cli {
namespace {

using Json = nlohmann::json;
using test::Program;

std::string replies_in(const Program& spoor) {
  const std::string path = spoor.folder.path + "/replies.jsonl";
  const std::string reply =
      R"({"model":"m","choices":[{"finish_reason":"stop","message":)"
      R"({"role":"assistant","content":"done"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}})";
  REQUIRE(write_file(path, reply + "\n" + reply + "\n", 0600));
  return "scripted/" + path;
}

Json first_event(Program& spoor, const std::string& of) {
  const std::string lines = spoor.out({"events", of, "--jsonl"});
  REQUIRE_FALSE(lines.empty());
  return Json::parse(lines.substr(0, lines.find('\n')));
}

}  // namespace

TEST_SUITE("cli/agents/run_context") {
  TEST_CASE("events say which program ran, where, and what for") {
    Program spoor;
    const std::string model = replies_in(spoor);
    const std::string work = spoor.folder.path + "/work";
    REQUIRE(write_file(work + "/.git/HEAD", "ref: refs/heads/topic\n", 0600));
    REQUIRE(write_file(work + "/sub/a.txt", "a", 0600));
    REQUIRE(spoor({"run", "go", "--model", model, "--root", work + "/sub", "--context",
                   "channel=chat", "--context", "ticket_id=T-7"})
                .status == 0);
    Json event = first_event(spoor, "latest");
    CHECK(event["session"]["agent_version"] == std::string(kVersion));
    const Json expected = {
        {"channel", "chat"}, {"ticket_id", "T-7"}, {"repo", work}, {"branch", "topic"}};
    CHECK(event["request"]["context"] == expected);

    // Nobody says anything, and nothing is made up.
    const std::string bare = spoor.folder.path + "/bare";
    REQUIRE(write_file(bare + "/a.txt", "a", 0600));
    REQUIRE(spoor({"run", "go", "--model", model, "--root", bare}).status == 0);
    event = first_event(spoor, "latest");
    const Json nothing = {
        {"channel", "cli"}, {"ticket_id", "unknown"}, {"repo", "unknown"}, {"branch", "unknown"}};
    CHECK(event["request"]["context"] == nothing);
  }

  TEST_CASE("a context that there is not is a slip of the line") {
    Program spoor;
    REQUIRE(spoor({"init"}).status == 0);
    const std::string model = replies_in(spoor);
    for (const char* context : {"color=red", "channel", "channel="}) {
      CAPTURE(context);
      CHECK(spoor({"run", "go", "--model", model, "--context", context}).status == 2);
    }
  }

  TEST_CASE("a text that was looked up is a snippet of the prompt, and no request") {
    Program spoor;
    REQUIRE(spoor({"init"}).status == 0);
    const std::string model = replies_in(spoor);
    REQUIRE(spoor({"user", "what is the port?"}).status == 0);
    REQUIRE(spoor({"user", "it listens on 80", "--source", "wiki/ports"}).status == 0);
    REQUIRE(spoor({"generate", "--model", model}).status == 0);
    const Json event = first_event(spoor, "HEAD");
    CHECK(event["request"]["user_request_raw"] == "what is the port?");
    const Json retrieval = event["prompt_provenance"]["prompt_bundle"]["retrieval"];
    CHECK(retrieval["enabled"] == true);
    CHECK(retrieval["snippets"][0]["source"] == "wiki/ports");
    CHECK(retrieval["snippets"][0]["text"] == "it listens on 80");
  }
}

}  // namespace spoor::cli
