#include "agent/catalogue.h"

#include <doctest/doctest.h>

#include "agent/dispatch.h"
#include "agent/planners/prompts.h"
#include "tests/agent/stage.h"

namespace spoor::agent {
namespace {

Tool tool_of(std::string id, std::string parameters = {}) {
  Tool tool;
  tool.id = std::move(id);
  tool.parameters = std::move(parameters);
  tool.run = [](std::string_view arguments, const ToolContext&) {
    return gave(std::string(arguments));
  };
  return tool;
}

Result<ToolSelection> selection(const std::string& json) {
  const auto document = json::parse(json);
  return read_tool_selection(document.value().root());
}

}  // namespace

TEST_SUITE("agent/catalogue") {
  TEST_CASE("a tool needs a fit id that is free, something to do, and parameters of an object") {
    Registry registry;
    CHECK(registry.add(tool_of("a.b-c_1")));
    CHECK_FALSE(registry.add(tool_of("a.b-c_1")));
    CHECK_FALSE(registry.add(tool_of("")));
    CHECK_FALSE(registry.add(tool_of("a b")));
    CHECK_FALSE(registry.add(tool_of(std::string(65, 'x'))));
    CHECK_FALSE(registry.add(tool_of("d", "[1]")));
    CHECK_FALSE(registry.add(Tool{.id = "e"}));
  }

  TEST_CASE("a selection is a list, a number or nothing, and never a boolean") {
    CHECK(std::holds_alternative<AllTools>(*selection("null")));
    CHECK(std::get<LastTools>(*selection("3")).count == 3);
    CHECK(std::get<std::vector<std::string>>(*selection(R"(["a"])")).size() == 1);
    for (const char* json : {"true", "false", "1.5", "{}", "[1]", "\"a\""}) {
      CAPTURE(json);
      CHECK_FALSE(selection(json));
    }
  }

  TEST_CASE("arguments are checked before a tool runs") {
    Registry registry;
    REQUIRE(registry.add(tool_of(
        "t", R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})")));
    const auto catalogue = discover_tools(registry, AllTools{}, std::monostate()).value();
    CHECK(dispatch(catalogue, "t", R"({"n":1})", {}).text == R"({"n":1})");
    for (const char* arguments : {"", "{}", R"({"n":"1"})", "[]", "{", "3"}) {
      CAPTURE(arguments);
      CHECK(dispatch(catalogue, "t", arguments, {}).is_error);
    }
    CHECK(dispatch(catalogue, "other", "{}", {}).is_error);
  }

  TEST_CASE("a tool whose time is over is told to stop") {
    Registry registry;
    Tool tool = tool_of("slow");
    tool.timeout = std::chrono::milliseconds(20);
    tool.run = [](std::string_view, const ToolContext& context) {
      while (!context.stop.stop_requested()) std::this_thread::yield();
      return failed("stopped");
    };
    REQUIRE(registry.add(std::move(tool)));
    const auto catalogue = discover_tools(registry, AllTools{}, std::monostate()).value();
    CHECK(dispatch(catalogue, "slow", "{}", {}).text == "stopped");
  }

  TEST_CASE("an entry shows what a model has to know of a tool") {
    Tool tool = tool_of("find", R"({"type":"object","required":["q"],"properties":
        {"q":{"type":"string","description":"what"},"n":{"type":["integer","null"]},"x":{}}})");
    tool.description = "Finds.";
    CHECK(planners::describe_tool({"find", &tool}) ==
          "- find: Finds.\n    q (string, required): what\n    n (integer or null, optional)\n"
          "    x (any, optional)\n");
    CHECK(planners::describe_tool({"gone", nullptr}) == "- gone (unregistered)\n");
  }
}

}  // namespace spoor::agent
