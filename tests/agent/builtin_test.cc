#include "agent/builtin/builtin.h"

#include <doctest/doctest.h>

#include "agent/builtin/environment.h"
#include "builtin_stage.h"
#include "llm/http/recorded_transport.h"
#include "llm/schema.h"

namespace spoor::agent::builtin {

TEST_SUITE("agent/builtin") {
  std::vector<Tool> every_tool(Stage & stage, llm::http::Transport & transport) {
    stage.settings.transport = &transport;
    std::vector<std::string> names;
    for (const Description& tool : all_tools()) names.emplace_back(tool.name);
    return make_tools(names, stage.settings).value();
  }

  TEST_CASE("every tool has the name it was asked for, words and a schema of an object") {
    Stage stage;
    llm::http::RecordedTransport transport({});
    const std::vector<Tool> tools = every_tool(stage, transport);
    REQUIRE(tools.size() == all_tools().size());
    for (std::size_t i = 0; i < tools.size(); ++i) {
      CAPTURE(tools[i].id);
      CHECK(tools[i].id == all_tools()[i].name);
      CHECK_FALSE(tools[i].description.empty());
      const auto schema = llm::Schema::parse(tools[i].parameters);
      REQUIRE(schema.has_value());
      CHECK(schema.value().unchecked().empty());
      CHECK(nlohmann::json::parse(tools[i].parameters)["type"] == "object");
    }
  }

  TEST_CASE("what changes nothing says so") {
    Stage stage;
    llm::http::RecordedTransport transport({});
    std::string read_only;
    for (const Tool& tool : every_tool(stage, transport)) {
      if (tool.read_only) read_only += tool.id + " ";
    }
    CHECK(read_only == "read_file list glob grep http_get ");
  }

  TEST_CASE("whatever the arguments are, a tool answers") {
    Stage stage;
    stage.put("a", "text");
    llm::http::RecordedTransport transport({});
    for (const Tool& tool : every_tool(stage, transport)) {
      CAPTURE(tool.id);
      for (const std::string_view arguments : {"",
                                               "{",
                                               "null",
                                               "[]",
                                               "7",
                                               R"({"path":7})",
                                               R"({"path":null})",
                                               R"({"path":""})",
                                               R"({"path":"a\u0000b"})",
                                               R"({"path":"\ud800"})",
                                               R"({"argv":[]})",
                                               R"({"argv":[""]})",
                                               R"({"argv":[7]})",
                                               R"({"argv":["a\u0000b"]})",
                                               R"({"argv":["true"],"timeout_s":-1})",
                                               R"({"argv":["true"],"timeout_s":1e999})",
                                               R"({"path":"a","offset":1.5})",
                                               R"({"path":"a","limit":0})",
                                               R"({"path":"a","depth":"x"})",
                                               R"({"pattern":""})",
                                               R"({"path":"a","old":"","new":"x"})",
                                               R"({"path":"a","content":[]})",
                                               R"({"url":7})",
                                               R"({"url":""})"}) {
        CAPTURE(arguments);
        const ToolResult result = tool.run(arguments, {});
        CHECK_FALSE(result.text.empty());
        CHECK_FALSE(result.text.starts_with("error"));
      }
    }
    CHECK(stage.get("a") == "text");
  }

  TEST_CASE("a name that is none is refused, and so is one given twice") {
    Stage stage;
    const std::vector<std::string> wrong = {"read_file", "rm"};
    const auto none = make_tools(wrong, stage.settings);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == Error::Code::not_found);
    CHECK(none.error().hint.find("edit_file") != std::string::npos);
    const std::vector<std::string> twice = {"list", "list"};
    CHECK(make_tools(twice, stage.settings).error().code == Error::Code::invalid);
    CHECK(make_tools({}, stage.settings).value().empty());
  }

  TEST_CASE("a root that is not there, a missing transport and senseless caps are refused") {
    Stage stage;
    const std::vector<std::string> get = {"http_get"};
    CHECK(make_tools(get, stage.settings).error().code == Error::Code::invalid);
    Settings settings = stage.settings;
    settings.root += "/nothing";
    CHECK(make_tools({}, settings).error().code == Error::Code::not_found);
    settings = stage.settings;
    settings.output_cap = 10;
    CHECK(make_tools({}, settings).error().code == Error::Code::invalid);
  }

  TEST_CASE("commands get what programs need, and no keys") {
    const std::vector<std::pair<std::string, std::string>> all = {
        {"PATH", "/bin"},        {"HOME", "/home/me"},  {"OPENAI_API_KEY", "sk-1"},
        {"GITHUB_TOKEN", "t"},   {"LC_ALL", "C.UTF-8"}, {"LD_PRELOAD", "x.so"},
        {"aws_secret_id", "s"},  {"TERM", "xterm"},     {"CC", "clang"},
        {"SSH_AUTH_SOCK", "/s"}, {"DB_PASSWORD", "p"},
    };
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    CHECK(command_environment(all, {"CC", "OPENAI_API_KEY"}) == Pairs{{"PATH", "/bin"},
                                                                      {"HOME", "/home/me"},
                                                                      {"LC_ALL", "C.UTF-8"},
                                                                      {"CC", "clang"},
                                                                      {"TERM", "dumb"}});
    CHECK(command_environment({}, {}) ==
          Pairs{{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"TERM", "dumb"}});
  }

  TEST_CASE("a secret is not passed even when it is asked for") {
    Stage stage;
    stage.settings.pass_variables = {"CC", "ANTHROPIC_API_KEY"};
    const auto tools = make_tools({}, stage.settings);
    REQUIRE_FALSE(tools.has_value());
    CHECK(tools.error().message.find("ANTHROPIC_API_KEY") != std::string::npos);
  }
}

}  // namespace spoor::agent::builtin
