#include <chrono>
#include <filesystem>
#include <stop_token>
#include <thread>

#include <doctest/doctest.h>

#include "agent/builtin/tool_command.h"
#include "tests/agent/builtin_stage.h"
#include "tests/support/posix_only.h"

namespace spoor::agent::builtin {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A program in the root of a stage, and the tool made of it.
struct Program {
  Stage stage;
  ToolCommand command{"look", (stage.root() / "look").string()};

  explicit Program(const std::string& script) { write("look", script); }

  void write(const std::string& name, const std::string& script) const {
    stage.put(name, "#!/bin/sh\n" + script);
    fs::permissions(stage.root() / name, fs::perms::owner_all);
  }

  Result<ToolDefinition> describe() const {
    return describe_command(command, open_base(stage.settings).value());
  }

  ToolResult call(const json& arguments = json::object(), const ToolContext& context = {}) const {
    const ToolDefinition definition{.id = "look", .description = "", .parameters = ""};
    const Tool tool = make_tool_command(command, definition, open_base(stage.settings).value());
    return tool.run(arguments.dump(), context);
  }
};

}  // namespace

TEST_SUITE("agent/tool_command") {
  TEST_CASE("a program gets its arguments as one JSON object and prints the result") {
    const Program program("cat");
    const ToolResult result = program.call({{"at", "ä \"quoted\""}, {"n", 3}});
    CHECK_FALSE(result.is_error);
    CHECK(result.is_json);
    CHECK(json::parse(result.text) == json{{"at", "ä \"quoted\""}, {"n", 3}});
  }

  TEST_CASE("text is a result, too, and nothing is said to be nothing") {
    CHECK(Program("echo plain").call().text == "plain\n");
    CHECK_FALSE(Program("echo plain").call().is_json);
    CHECK_FALSE(Program("echo 7").call().is_json);
    CHECK(Program("true").call().text == "[it printed nothing]");
  }

  TEST_CASE("another exit status is a failure with the standard error") {
    const ToolResult result = Program("echo half; echo 'no such place' >&2; exit 3").call();
    CHECK(result.is_error);
    CHECK(result.text == "exit code 3\nno such place\nhalf\n");
    CHECK_FALSE(result.facts.get(fact::exit_code));  // It is no check of the work.
    CHECK(Program("echo warned >&2; echo fine").call().text == "fine\n");
  }

  TEST_CASE("a program describes itself when it is asked") {
    const Program program(R"(test "$1" = --describe || exit 1
echo '{"description": "looks", "read_only": true,
       "input_schema": {"type": "object", "properties": {"z": {}, "a": {}}}}')");
    const ToolDefinition definition = program.describe().value();
    CHECK(definition.id == "look");
    CHECK(definition.description == "looks");
    CHECK(definition.parameters == R"({"type": "object", "properties": {"z": {}, "a": {}}})");
    CHECK(definition.read_only);
  }

  TEST_CASE("a program that does not describe itself takes any object") {
    for (const char* script : {"exit 2", "echo usage; exit 0", "echo '[1]'", "kill -9 $$", "cat"}) {
      const Program program(script);
      const ToolDefinition definition = program.describe().value();
      CHECK(definition.parameters == R"({"type": "object"})");
      CHECK(definition.description.find("'look'") != std::string::npos);
      CHECK_FALSE(definition.read_only);
    }
  }

  TEST_CASE("the question changes nothing, whatever the program does") {
    if (spoor::testing::kIsPosixOnly) return;  // Nothing confines commands there.
    const Program program("cd \"$(dirname \"$0\")\"; echo x > made; rm -f kept; echo y >> look");
    program.stage.put("kept", "kept");
    const std::string before = program.stage.get("look");
    CHECK(program.describe());
    CHECK_FALSE(fs::exists(program.stage.root() / "made"));
    CHECK(program.stage.get("kept") == "kept");
    CHECK(program.stage.get("look") == before);
    program.call();  // Confined to the root, it may.
    CHECK(program.stage.get("made") == "x\n");
  }

  TEST_CASE("a broken schema and a missing program are errors before the run") {
    const auto broken = Program("echo '{\"input_schema\": {\"type\": 7}}'").describe();
    REQUIRE_FALSE(broken);
    CHECK(broken.error().message.find("is not the JSON Schema of an object") != std::string::npos);
    Program missing("true");
    missing.command.program = (missing.stage.root() / "other").string();
    const auto absent = missing.describe();
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == Error::Code::not_found);
    CHECK(absent.error().message.find("the tool 'look'") != std::string::npos);
  }

  TEST_CASE("a call is confined, ended at its time, and stopped") {
    const Program reads("true");
    reads.stage.put("../outside/secret", "secret");
    reads.write("look", "cat '" + (reads.stage.outside() / "secret").string() + "'");
    CHECK(reads.call().is_error == !spoor::testing::kIsPosixOnly);

    Program slow("sleep 60");
    slow.stage.settings.command_timeout = std::chrono::milliseconds(1'500);
    const ToolResult late = slow.call();
    CHECK(late.is_error);
    CHECK(late.text.find("took longer than 1.5 s") != std::string::npos);

    std::stop_source stop;
    const std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop.request_stop();
    });
    ToolContext context;
    context.stop = stop.get_token();
    CHECK(Program("sleep 60").call(json::object(), context).text.find("interrupted") !=
          std::string::npos);
  }

  TEST_CASE("long output is cut and attached, and errors are shown while it runs") {
    Program program("yes line | head -c 100000; echo working >&2");
    program.stage.settings.output_cap = 1'000;
    std::string seen;
    ToolContext context;
    context.output = [&](std::string_view text) { seen += text; };
    const ToolResult result = program.call(json::object(), context);
    CHECK(result.text.size() < 1'200);
    CHECK(result.attach.at(0).bytes.size() == 100'000);
    CHECK(seen == "working\n");
  }
}

}  // namespace spoor::agent::builtin
