#include "cli/agents/agent_setup.h"

#include <doctest/doctest.h>

namespace spoor::cli {
namespace {

MapEnvironment at_home() {
  MapEnvironment environment;
  environment.variables = {{"HOME", "/home/ada"}};
  return environment;
}
const MapEnvironment kAda = at_home();

}  // namespace

TEST_SUITE("cli/agents/agent_setup") {
  TEST_CASE("a root inside the store's folder is kept relative to it, another one as it is") {
    CHECK(root_to_keep("/srv/a/work", "/srv/a/.spoor", kAda) == "work");
    CHECK(root_to_keep("/srv/a/x/../jobs/in", "/srv/a/b/../.spoor", kAda) == "jobs/in");
    CHECK(root_to_keep("/srv/a", "/srv/a/.spoor", kAda) == ".");
    CHECK(root_to_keep("/srv/b", "/srv/a/.spoor", kAda) == "/srv/b");
    CHECK(root_to_keep("/srv", "/srv/a/.spoor", kAda) == "/srv");
    CHECK(root_to_keep("/srv/a/..work", "/srv/a/.spoor", kAda) == "..work");
  }

  TEST_CASE("a root elsewhere in the home is kept relative to that") {
    CHECK(root_to_keep("/home/ada/work", "/srv/a/.spoor", kAda) == "~/work");
    CHECK(root_to_keep("/home/ada", "/srv/a/.spoor", kAda) == "~");
    CHECK(root_to_keep("/home/bob", "/srv/a/.spoor", kAda) == "/home/bob");
    CHECK(root_to_keep("/home/ada/~/x", "/home/ada/.spoor", kAda) == "./~/x");
    CHECK(root_from_kept("~/work", "/srv/a/.spoor", kAda) == "/home/ada/work");
    CHECK(root_from_kept("./~/x", "/home/ada/.spoor", kAda) == "/home/ada/./~/x");
  }

  TEST_CASE("what was kept is found beside the store, wherever both are now") {
    CHECK(root_from_kept("jobs/in", "/opt/b/.spoor", kAda) == "/opt/b/jobs/in");
    CHECK(root_from_kept("/srv/b", "/opt/b/.spoor", kAda) == "/srv/b");
  }

  TEST_CASE("the settings of tools are read back as they were written") {
    const ToolSettings settings{
        .names = {"read_file", "http_get"},
        .root = "work",
        .hosts = {"example.com"},
        .has_network = true,
        .readable = {"/srv/libraries"},
        .writable = {".git", ".github/workflows"},
        .approve = {"http_get"},
        .memory = "ada",
        .context = {.version = "1.2",
                    .channel = "chat",
                    .ticket_id = "T-1",
                    .repo = "/srv/a",
                    .branch = "topic/x"},
        .constraints = {.file = "# none", .texts = {"scope: only src/"}, .is_enforced = true}};
    const auto read = read_tool_settings("{\"caller\":" + write_tool_settings(settings) + "}");
    REQUIRE(read);
    CHECK(*read == settings);
    CHECK(read_tool_settings("{}").error().code == Error::Code::invalid);
  }
}

}  // namespace spoor::cli
