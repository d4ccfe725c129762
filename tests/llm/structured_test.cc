#include "llm/structured.h"

#include <doctest/doctest.h>

#include <string>

using namespace spoor;
using namespace spoor::llm;
using spoor::Error;

namespace {

constexpr const char* kClosed =
    R"({ "type": "object", "required": ["why", "answer"], "additionalProperties": false,
         "properties": {"why": {"type": "string"}, "answer": {"type": "integer", "minimum": 0}} })";
constexpr const char* kClosedSent =
    R"({"type":"object","required":["why","answer"],"additionalProperties":false,)"
    R"("properties":{"why":{"type":"string"},"answer":{"type":"integer","minimum":0}}})";
constexpr const char* kTold =
    "Answer with one JSON value and nothing else: no explanation, no code fence. It must fit this "
    "JSON Schema:\n";

Schema schema_of(std::string_view text) { return Schema::parse(text).value(); }

StructuredRequest asked(Wire wire, std::string_view schema, const char* provider = "p") {
  const Profile profile{provider, wire, "", "", false};
  return ask_for(profile, schema_of(schema)).value();
}

bool closed(std::string_view schema) { return is_closed(schema_of(schema)); }

StructuredAnswer read(std::string_view text, std::string_view schema = kClosed) {
  return read_structured(text, schema_of(schema)).value();
}

}  // namespace

TEST_SUITE("llm/structured/request") {
  TEST_CASE("OpenAI's chat has a response format") {
    const auto request = asked(Wire::openai_chat, kClosed);
    CHECK(request.params == std::string(R"({"response_format":{"json_schema":{"name":"answer",)"
                                        R"("schema":)") +
                                kClosedSent + R"(,"strict":true},"type":"json_schema"}})");
    CHECK(request.instruction.empty());
  }

  TEST_CASE("Responses has a format of its text") {
    CHECK(asked(Wire::openai_responses, R"({"type":"object"})").params ==
          R"({"text":{"format":{"name":"answer","schema":{"type":"object"},"strict":false,)"
          R"("type":"json_schema"}}})");
  }

  TEST_CASE("Anthropic gets no bounds, and closed objects") {
    CHECK(asked(Wire::anthropic, R"({"type":"object","properties":{"minLength":{"type":"string",)"
                                 R"("minLength":2},"l":{"type":"array","items":{"properties":{}},)"
                                 R"("maxItems":3}}})")
              .params ==
          R"({"output_config":{"format":{"schema":{"type":"object","properties":{"minLength":)"
          R"({"type":"string"},"l":{"type":"array","items":{"properties":{},)"
          R"("additionalProperties":false}}},"additionalProperties":false},)"
          R"("type":"json_schema"}}})");
  }

  TEST_CASE("what Anthropic does not take is told to the model instead") {
    for (const char* schema :
         {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"type":"object"})",
          R"({"type":"object","properties":{"a":{"oneOf":[{},{}]}}})",
          R"({"type":"object","properties":{"a":{"$ref":"#"}}})"}) {
      CAPTURE(schema);
      const auto request = asked(Wire::anthropic, schema);
      CHECK(request.params == "{}");
      CHECK(request.instruction == std::string(kTold) + schema);
    }
  }

  TEST_CASE("Gemini has it in the generation's configuration") {
    CHECK(asked(Wire::gemini, R"({"type":"object"})").params ==
          R"({"generationConfig":{"responseJsonSchema":{"type":"object"},)"
          R"("responseMimeType":"application/json"}})");
  }

  TEST_CASE("Ollama has a format, and the model is told as well") {
    const auto request = asked(Wire::ollama, R"({"type":"object"})");
    CHECK(request.params == R"({"format":{"type":"object"}})");
    CHECK(request.instruction == std::string(kTold) + R"({"type":"object"})");
  }

  TEST_CASE("DeepSeek promises JSON, and is told the schema") {
    const auto request = asked(Wire::openai_chat, R"({"type":"object"})", "deepseek");
    CHECK(request.params == R"({"response_format":{"type":"json_object"}})");
    CHECK(request.instruction == std::string(kTold) + R"({"type":"object"})");
  }

  TEST_CASE("a name that OpenAI would refuse is refused") {
    const Profile profile{"p", Wire::openai_chat, "", "", false};
    for (const std::string& name : {std::string(), std::string("a b"), std::string(65, 'a')}) {
      CHECK(ask_for(profile, schema_of("{}"), name).error().code == Error::Code::invalid);
    }
  }

  TEST_CASE("strict is said of closed schemas only") {
    CHECK(closed(kClosed));
    CHECK(closed(R"({"type":"object","properties":{},"additionalProperties":false})"));
    CHECK_FALSE(closed(R"({"type":"array"})"));
    CHECK_FALSE(closed(R"({"type":"object"})"));
    CHECK_FALSE(closed(R"({"type":"object","properties":{"a":{}},"additionalProperties":false})"));
    CHECK_FALSE(closed(R"({"type":"object","properties":{"a":{"type":"object"}},)"
                       R"("required":["a"],"additionalProperties":false})"));
    CHECK_FALSE(closed(R"({"type":"object","properties":{},"additionalProperties":false,)"
                       R"("allOf":[{}]})"));
    CHECK_FALSE(closed(R"({"type":"object","properties":{},"additionalProperties":false,)"
                       R"("$defs":{"a":{"type":"object"}}})"));
  }

  TEST_CASE("parameters are joined, objects inside too") {
    CHECK(merge_params(R"({"b":1,"g":{"temperature":0,"x":{"y":1}}})",
                       R"({"g":{"x":{"z":2},"temperature":1},"a":[]})")
              .value() == R"({"b":1,"g":{"temperature":1,"x":{"y":1,"z":2}},"a":[]})");
    CHECK(merge_params("{}", "{}").value() == "{}");
    CHECK(merge_params("[]", "{}").error().code == Error::Code::invalid);
    CHECK(merge_params("{}", "x").error().code == Error::Code::invalid);
  }
}

TEST_SUITE("llm/structured/reply") {
  TEST_CASE("a bare value, whatever stands before it") {
    for (const std::string before :
         {"", " \n", "\xef\xbb\xbf", "<think>\n{\"why\":1}\n</think>\n\n",
          "\xef\xbb\xbf<think></think>", "Here it is: ", "```json\n", "``` JSON\r\n", "~~~\n",
          "[1] says so:\n```\n", "```python\nx = {1: 2}\n```\nThe answer:\n"}) {
      CAPTURE(before);
      const auto answer = read(before + R"({"why":"b","answer":4})");
      CHECK(answer.fits());
      CHECK(answer.json == R"({"why":"b","answer":4})");
    }
    CHECK(read("```json\n{\"why\":\"b\",\"answer\":4}\n```\nThat is all {really}.").fits());
  }

  TEST_CASE("bytes stay as they are") {
    CHECK(read(" { \"answer\" : 1e0,\n\"why\":\"\\u0041\"} ").json ==
          "{ \"answer\" : 1e0,\n\"why\":\"\\u0041\"}");
  }

  TEST_CASE("values that are no objects") {
    CHECK(read("42", R"({"type":"integer"})").json == "42");
    CHECK(read("So: [1, 2].", R"({"type":"array"})").json == "[1, 2]");
    CHECK(read("\"yes\"", R"({"enum":["yes","no"]})").fits());
  }

  TEST_CASE("of several values the first that fits is taken") {
    CHECK(read(R"(Not {"why":1} but {"why":"x","answer":2}, or {"why":"y","answer":3}.)").json ==
          R"({"why":"x","answer":2})");
  }

  TEST_CASE("when none fits, the first and what is wrong with it") {
    const auto answer = read(R"({"why":1} or {"answer":2})");
    CHECK_FALSE(answer.fits());
    CHECK(answer.json == R"({"why":1})");
    CHECK(nudge(answer) ==
          "Your answer does not fit the JSON Schema:\n"
          "- the value: 'answer' is missing\n"
          "- /why: expected string, got number\n"
          "Answer again with the JSON value alone.");
  }

  TEST_CASE("no value at all") {
    for (const char* text : {"", "I cannot.", "<think>{\"why\":\"x\",\"answer\":1}", "{\"why\":"}) {
      CAPTURE(text);
      const auto answer = read(text);
      CHECK_FALSE(answer.fits());
      CHECK(answer.json.empty());
      CHECK(nudge(answer) ==
            "Your answer holds no JSON value. Answer again with the JSON value alone.");
    }
  }

  TEST_CASE("texts made to be slow are read quickly") {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "{\"a\":";
    CHECK(read(text).json.empty());
    CHECK(read(std::string(1'000'000, '[')).json.empty());
  }
}
