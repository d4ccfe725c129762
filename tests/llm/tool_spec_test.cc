#include "llm/tool_spec.h"

#include <doctest/doctest.h>

#include <vector>

using namespace spoor;
using namespace spoor::llm;
using spoor::Error;

namespace {

const std::vector<ToolSpec> kTools = {
    {"grep", "Finds lines.",
     R"({ "type": "object",
          "properties": {"pattern": {"type": "string"}, "limit": {"type": "integer", "maximum": 1e3}},
          "required": ["pattern"] })"},
    {"now", "", ""},
};

constexpr const char* kGrepSchema =
    R"({"type":"object","properties":{"pattern":{"type":"string"},"limit":{"type":"integer","maximum":1e3}},"required":["pattern"]})";

std::string with_schema(std::string text) {
  const std::size_t at = text.find('@');
  return text.replace(at, 1, kGrepSchema);
}

std::string written(Wire wire) { return tools_json(wire, kTools).value(); }

}  // namespace

TEST_SUITE("llm/tool_spec") {
  TEST_CASE("OpenAI's chat and Ollama wrap a tool in a function") {
    const std::string expected = with_schema(
        R"([{"function":{"description":"Finds lines.","name":"grep","parameters":@},"type":"function"},)"
        R"({"function":{"name":"now","parameters":{"type":"object","properties":{}}},"type":"function"}])");
    CHECK(written(Wire::openai_chat) == expected);
    CHECK(written(Wire::ollama) == expected);
  }

  TEST_CASE("Responses has it flat, and not strict") {
    CHECK(
        written(Wire::openai_responses) ==
        with_schema(
            R"([{"description":"Finds lines.","name":"grep","parameters":@,"strict":false,"type":"function"},)"
            R"({"name":"now","parameters":{"type":"object","properties":{}},"strict":false,"type":"function"}])"));
  }

  TEST_CASE("Anthropic calls the schema input_schema") {
    CHECK(written(Wire::anthropic) ==
          with_schema(R"([{"description":"Finds lines.","input_schema":@,"name":"grep"},)"
                      R"({"input_schema":{"type":"object","properties":{}},"name":"now"}])"));
  }

  TEST_CASE("Gemini has all functions in one tool") {
    CHECK(
        written(Wire::gemini) ==
        with_schema(
            R"([{"functionDeclarations":[{"description":"Finds lines.","name":"grep","parametersJsonSchema":@},)"
            R"({"name":"now"}]}])"));
  }

  TEST_CASE("no tools are an empty list for everybody") {
    for (const Wire wire :
         {Wire::openai_chat, Wire::openai_responses, Wire::anthropic, Wire::gemini, Wire::ollama}) {
      CHECK(tools_json(wire, {}).value() == "[]");
    }
  }

  TEST_CASE("white space in a schema changes nothing, the order of its keys stays") {
    const std::vector<ToolSpec> spaced = {{"a", "", "{ \"z\" : [ 1 , 2 ] , \"b\" : {} }"}};
    CHECK(tools_json(Wire::anthropic, spaced).value() ==
          R"([{"input_schema":{"z":[1,2],"b":{}},"name":"a"}])");
  }

  TEST_CASE("names and texts are escaped") {
    const std::vector<ToolSpec> odd = {{"a\"b", "line\nline \x1b", "{}"}};
    CHECK(tools_json(Wire::anthropic, odd).value() ==
          R"([{"description":"line\nline \u001b","input_schema":{},"name":"a\"b"}])");
  }

  TEST_CASE("what is written for a provider is read back") {
    const std::vector<ToolSpec> specs = {{"grep", "Finds lines.", R"({"type":"object"})"},
                                         {"now", "", R"({"properties":{}})"}};
    for (const Wire wire :
         {Wire::openai_chat, Wire::openai_responses, Wire::anthropic, Wire::gemini, Wire::ollama}) {
      const std::string request = R"({"tools":)" + tools_json(wire, specs).value() + "}";
      const auto body = spoor::json::parse(request);
      std::vector<ToolSpec> read;
      for (const spoor::json::Value& each : declared_tools(body.value().root())) {
        read.push_back(read_tool(each).value());
      }
      CHECK(read == specs);
    }
  }

  TEST_CASE(
      "tools that Codex adds in its input are declared too, without their groups, each once") {
    constexpr std::string_view kRequest = R"({"tools":[{"type":"function","name":"a"}],"input":[
        {"type":"message","role":"user"},
        {"type":"additional_tools","tools":[{"type":"namespace","name":"functions","tools":[
          {"type":"custom","name":"apply_patch","description":"Edits."},{"type":"function","name":"a"}]}]}]})";
    const auto body = spoor::json::parse(kRequest);
    const auto declared = declared_tools(body.value().root());
    REQUIRE(declared.size() == 2);
    CHECK(read_tool(declared[0]) == ToolSpec{"a", "", ""});
    CHECK(read_tool(declared[1]) == ToolSpec{"apply_patch", "Edits.", ""});
    CHECK(declared_tools(body.value().root().find("tools")).size() == 1);
    CHECK(declared_tools(spoor::json::Value()).empty());
  }

  TEST_CASE("a provider's own tools, and what is no tool, are not read") {
    constexpr std::string_view kRequest =
        R"([{"type":"web_search"},{"type":"web_search_20250305","name":"web_search"},{"googleSearch":{}},null,7,"text"])";
    const auto body = spoor::json::parse(kRequest);
    const auto declared = declared_tools(body.value().root());
    CHECK(declared.size() == 6);
    for (const spoor::json::Value& each : declared) CHECK(!read_tool(each));
  }

  TEST_CASE("each provider's spelling of a tool is read") {
    const auto read = [](std::string_view declared) {
      const auto document = spoor::json::parse(declared);
      return read_tool(declared_tools(document.value().root()).at(0)).value();
    };
    const ToolSpec plain = {"f", "",
                            R"({"type":"object","properties":{"type":{"type":"string"}}})"};
    CHECK(read(R"([{"function_declarations":[{"name":"f","parameters":)"
               R"({"type":"OBJECT","properties":{"type":{"type":"STRING"}}}}]}])") == plain);
    const ToolSpec choice = {"f", "",
                             R"({"type":"object","anyOf":[{"type":"string","enum":["A"]}]})"};
    CHECK(read(R"([{"functionDeclarations":[{"name":"f","parameters":)"
               R"({"type":"OBJECT","anyOf":[{"type":"STRING","enum":["A"]}]}}]}])") == choice);
    CHECK(read(R"([{"type":"custom","custom":{"name":"g","description":"Text."}}])") ==
          ToolSpec{"g", "Text.", ""});
  }

  TEST_CASE("what cannot be a list of tools is refused") {
    const auto code = [](const ToolSpec& first, const ToolSpec& second) {
      return tools_json(Wire::anthropic, std::vector{first, second}).error().code;
    };
    CHECK(code({"a", "", ""}, {"a", "", ""}) == Error::Code::invalid);
    CHECK(code({"a", "", ""}, {"", "", ""}) == Error::Code::invalid);
    CHECK(code({"a", "", ""}, {"b", "", "[]"}) == Error::Code::invalid);
    CHECK(code({"a", "", ""}, {"b", "", "{"}) == Error::Code::invalid);
  }
}
