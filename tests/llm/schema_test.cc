#include "llm/schema.h"

#include <doctest/doctest.h>

#include <string>

using namespace spoor;
using namespace spoor::llm;
using spoor::Error;

namespace {

// The problems as people read them, one a line; "" when the value fits.
std::string problems(const std::string& schema, const std::string& value) {
  const auto parsed = Schema::parse(schema);
  REQUIRE_MESSAGE(parsed, parsed.error().message);
  std::string out;
  for (const SchemaProblem& problem : parsed.value().check_text(value).value()) {
    out += (out.empty() ? "" : "\n") + problem.text();
  }
  return out;
}

std::string refused(const std::string& schema) {
  const auto parsed = Schema::parse(schema);
  return parsed ? "" : parsed.error().message;
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

constexpr const char* kPlan = R"({
  "type": "object",
  "properties": {
    "goal": {"type": "string", "minLength": 3},
    "steps": {"type": "array", "minItems": 1,
              "items": {"type": "object", "required": ["id"], "additionalProperties": false,
                        "properties": {"id": {"type": "string"}, "cost": {"type": "integer"}}}}
  },
  "required": ["goal", "steps"]
})";

}  // namespace

TEST_SUITE("llm/schema") {
  TEST_CASE("a value that fits has no problems") {
    CHECK(problems(kPlan, R"({"goal":"eat","steps":[{"id":"a","cost":3}],"more":null})").empty());
  }

  TEST_CASE("each problem says where, what was expected and what was there") {
    CHECK(problems(kPlan, R"({"goal":"ab","steps":[{"id":7},{"cost":1.5,"x":1}]})") ==
          "/goal: expected at least 3 characters, got 2\n"
          "/steps/0/id: expected string, got number\n"
          "/steps/1: 'id' is missing\n"
          "/steps/1/cost: expected integer, got number\n"
          "/steps/1: 'x' is not allowed");
    CHECK(problems(kPlan, "[]") == "the value: expected object, got array");
    CHECK(problems(kPlan, R"({"steps":[]})") ==
          "the value: 'goal' is missing\n/steps: expected at least 1 elements, got 0");
  }

  TEST_CASE("a type may be one of several, or null besides") {
    CHECK(problems(R"({"type":["string","null"]})", "null").empty());
    CHECK(problems(R"({"type":["string","null"]})", "1") ==
          "the value: expected string or null, got number");
    CHECK(problems(R"({"type":"string","nullable":true})", "null").empty());
    CHECK(problems(R"({"type":"string","nullable":true})", "1") ==
          "the value: expected string, got number");
    CHECK_FALSE(problems(R"({"type":"string"})", "null").empty());
  }

  TEST_CASE("an integer is a number without a fraction, however it is written") {
    for (const char* value : {"3", "3.0", "-0", "1e3", "123456789012345678901234567890"}) {
      CHECK(problems(R"({"type":"integer"})", value).empty());
    }
    CHECK_FALSE(problems(R"({"type":"integer"})", "1e-3").empty());
    CHECK(problems(R"({"type":"number"})", "3").empty());
    CHECK_FALSE(problems(R"({"type":"number"})", "true").empty());
  }

  TEST_CASE("enum and const compare by value") {
    CHECK(problems(R"({"enum":["a",1,{"b":[null]}]})", R"({ "b" : [ null ] })").empty());
    CHECK(problems(R"({"enum":["a",1]})", "1.0").empty());
    CHECK(problems(R"({"enum":["a","b"]})", R"("c")") ==
          R"(the value: expected one of "a", "b", got "c")");
    CHECK(problems(R"({"const":false})", "0") == "the value: expected false");
    CHECK(problems(R"({"const":null})", "null").empty());
  }

  TEST_CASE("numbers are bounded exactly") {
    CHECK(problems(R"({"minimum":9007199254740993})", "9007199254740992") ==
          "the value: expected at least 9007199254740993, got 9007199254740992");
    CHECK(problems(R"({"maximum":0.3})", "0.3").empty());
    CHECK(problems(R"({"exclusiveMaximum":0.3})", "0.30") ==
          "the value: expected less than 0.3, got 0.30");
    CHECK(problems(R"({"exclusiveMinimum":0})", "0") == "the value: expected more than 0, got 0");
    CHECK(problems(R"({"minimum":5})", R"("4")").empty());
  }

  TEST_CASE("lengths count code points") {
    CHECK(problems(R"({"maxLength":2})", R"("\ud83d\ude00ü")").empty());
    CHECK(problems(R"({"maxLength":2})", R"("abc")") ==
          "the value: expected at most 2 characters, got 3");
  }

  TEST_CASE("lists: a beginning, the others, and none twice") {
    const std::string schema =
        R"({"prefixItems":[{"type":"string"}],"items":{"type":"number"},"uniqueItems":true})";
    CHECK(problems(schema, R"(["a",1,2])").empty());
    CHECK(problems(schema, R"(["a",1,"b"])") == "/2: expected number, got string");
    CHECK(problems(schema, R"(["a",1,1.0])") == "the value: expected no element twice");
  }

  TEST_CASE("other members may have a schema of their own") {
    const std::string schema =
        R"({"properties":{"a":{}},"additionalProperties":{"type":"boolean"},"maxProperties":2})";
    CHECK(problems(schema, R"({"a":1,"b":true})").empty());
    CHECK(problems(schema, R"({"b":1})") == "/b: expected boolean, got number");
    CHECK(problems(schema, R"({"a":1,"b":true,"c":true})") ==
          "the value: expected at most 2 members, got 3");
  }

  TEST_CASE("of a member that stands twice the last one counts") {
    CHECK(problems(R"({"properties":{"a":{"type":"number"}}})", R"({"a":"x","a":1})").empty());
    CHECK(problems(R"({"properties":{"a":{"type":"number"}}})", R"({"a":1,"a":"x"})") ==
          "/a: expected number, got string");
  }

  TEST_CASE("alternatives") {
    const std::string any = R"({"anyOf":[{"type":"string"},{"type":"object","properties":)"
                            R"({"a":{"type":"number"}},"required":["a"]}]})";
    CHECK(problems(any, R"("x")").empty());
    CHECK(problems(any, R"({"a":1})").empty());
    CHECK(problems(any, R"({"a":"1"})") ==
          "the value: fits none of 2 alternatives; of the nearest one: "
          "/a: expected number, got string");
    const std::string one = R"({"oneOf":[{"type":"integer"},{"minimum":5}]})";
    CHECK(problems(one, "3").empty());
    CHECK(problems(one, "7") == "the value: fits 2 of the alternatives, expected one");
    CHECK(problems(R"({"allOf":[{"minimum":2},{"maximum":1}]})", "1.5") ==
          "the value: expected at least 2, got 1.5\nthe value: expected at most 1, got 1.5");
    CHECK(problems(R"({"not":{"type":"string"}})", R"("x")") ==
          "the value: fits a schema that it must not fit");
  }

  TEST_CASE("references, also to itself") {
    const std::string tree =
        R"({"$ref":"#/$defs/tree%20node","$defs":{"tree node":)"
        R"({"type":"object","properties":{"value":{"type":"number"},)"
        R"("children":{"type":"array","items":{"$ref":"#/$defs/tree%20node"}}}}}})";
    CHECK(problems(tree, R"({"value":1,"children":[{"children":[{"value":2}]}]})").empty());
    CHECK(problems(tree, R"({"children":[{"children":[{"value":"2"}]}]})") ==
          "/children/0/children/0/value: expected number, got string");
    CHECK(problems(R"({"properties":{"a":{"$ref":"#"},"b":{"type":"null"}}})",
                   R"({"a":{"a":{"b":1}}})") == "/a/a/b: expected null, got number");
    CHECK(problems(R"({"$ref":"#/definitions/a~1b","definitions":{"a/b":{"type":"null"}}})", "1") ==
          "the value: expected null, got number");
  }

  TEST_CASE("true takes everything, false nothing") {
    CHECK(problems("true", "[1]").empty());
    CHECK(problems(R"({"properties":{"a":false}})", R"({"a":1})") == "/a: nothing is allowed here");
  }

  TEST_CASE("names in a path are written as pointers have them") {
    CHECK(problems(R"({"additionalProperties":{"type":"null"}})", R"({"a/b~c":1})") ==
          "/a~1b~0c: expected null, got number");
  }

  TEST_CASE("what is not checked is named") {
    const auto schema = Schema::parse(
        R"({"title":"t","pattern":"(a+)+$","properties":{"pattern":{"format":"email",)"
        R"("default":1}},"if":{},"items":[{}],"exclusiveMinimum":true})");
    REQUIRE(schema);
    CHECK(schema.value().unchecked() ==
          std::vector<std::string>{"exclusiveMinimum", "format", "if", "items", "pattern"});
    CHECK(schema.value().check_text(R"("aaaa!")").value().empty());
  }

  TEST_CASE("what is no schema is refused, with the place") {
    CHECK(refused("[]") == "a schema is an object, not array");
    CHECK(refused(R"({"properties":{"a":{"type":"text"}}})") ==
          "the schema's '/properties/a/type' is not understood");
    CHECK(refused(R"({"required":"a"})") == "the schema's '/required' is not understood");
    CHECK(refused(R"({"minItems":-1})") == "the schema's '/minItems' is not understood");
    CHECK(refused(R"({"anyOf":[]})") == "the schema's '/anyOf' is not understood");
    CHECK(refused(R"({"$ref":"#/$defs/no"})") ==
          "the schema's '/$ref' refers to '#/$defs/no', which is not a schema in it");
    CHECK_FALSE(refused(R"({"$ref":"http://example.com/x"})").empty());
    CHECK_FALSE(refused("{").empty());
    CHECK_FALSE(refused("\"" + repeated("x", 1 << 20) + "\"").empty());
  }

  TEST_CASE("a value that is no JSON is an error of its own") {
    CHECK(Schema::parse("{}").value().check_text("{").error().code == Error::Code::invalid);
  }

  TEST_CASE("no more problems than a reader wants") {
    CHECK(Schema::parse(R"({"items":{"type":"null"}})")
              .value()
              .check_text("[" + repeated("1,", 999) + "1]")
              .value()
              .size() == Schema::kMaxProblems);
  }
}

TEST_SUITE("llm/schema/hostile") {
  TEST_CASE("a reference that goes in circles ends") {
    for (const char* schema : {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})",
                               R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},)"
                               R"("b":{"$ref":"#/$defs/a"}}})"}) {
      CHECK(Schema::parse(schema).value().check_text("1").error().code == Error::Code::denied);
    }
  }

  TEST_CASE("alternatives that multiply end") {
    std::string defs;
    for (int i = 0; i < 60; ++i) {
      const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
      defs += "\"d" + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]},";
    }
    const auto schema =
        Schema::parse(R"({"$ref":"#/$defs/d0","$defs":{)" + defs + R"("d60":{"type":"null"}}})");
    REQUIRE(schema);
    CHECK(schema.value().check_text("1").error().code == Error::Code::denied);
    CHECK(schema.value().check_text("null").value().empty());
  }

  TEST_CASE("depth on either side is no danger") {
    const std::string tree = R"({"items":{"$ref":"#"}})";
    const auto value = repeated("[", 900) + repeated("]", 900);
    CHECK(Schema::parse(tree).value().check_text(value).error().code == Error::Code::denied);
    const auto shallow = repeated("[", 200) + repeated("]", 200);
    CHECK(Schema::parse(tree).value().check_text(shallow).value().empty());
    const auto deep = repeated(R"({"not":)", 900) + "{}" + repeated("}", 900);
    CHECK(Schema::parse(deep).value().check_text("1").error().code == Error::Code::denied);
  }

  TEST_CASE("many members and many choices cost no more than they should") {
    std::string object = "{";
    for (int i = 0; i < 20'000; ++i) object += "\"k" + std::to_string(i) + "\":1,";
    object += "\"end\":1}";
    CHECK(Schema::parse(R"({"additionalProperties":{"type":"number"}})")
              .value()
              .check_text(object)
              .value()
              .empty());
    CHECK(Schema::parse(R"({"const":)" + object + "}").value().check_text(object).error().code ==
          Error::Code::denied);
  }
}
