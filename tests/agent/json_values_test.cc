#include "agent/reading/json_values.h"

#include <doctest/doctest.h>

#include <string>

using namespace spoor;
using namespace spoor::agent::reading;
using spoor::Error;

namespace {

std::string payload(std::string_view reply) {
  return std::string(payload_of(reply, "action").value().json());
}

std::string problem(std::string_view reply) {
  const auto error = payload_of(reply, "action").error();
  CHECK(error.code == Error::Code::invalid);
  return error.message;
}

}  // namespace

TEST_SUITE("agent/reading/json_values") {
  TEST_CASE("the first object with the key answers, one behind a fence before one in the text") {
    CHECK(payload("so {\"action\":1}.") == "{\"action\":1}");
    CHECK(payload("{\"a\":{\"action\":1}} {\"action\":2}") == "{\"action\":2}");
    CHECK(payload("{\"action\":1}\n```JSON\n{\"action\":2}\n```") == "{\"action\":2}");
    CHECK(payload("```\n{\"a\":1}\n```\n[2] {\"action\":3}") == "{\"action\":3}");
  }

  TEST_CASE("thought is no answer") {
    CHECK(payload("<think>{\"action\":1}</think>{\"action\":2}") == "{\"action\":2}");
    CHECK(problem("<think>{\"action\":1}") == "no JSON block in the reply");
  }

  TEST_CASE("what is no answer says why") {
    CHECK(problem("") == "no JSON block in the reply");
    CHECK(problem("I cannot {do} that") == "no JSON block in the reply");
    CHECK(problem("```json\n{\"action\":\"a") == "no JSON block in the reply");
    CHECK(problem("```json\n[]\n```\n{\"action\":1}") == "the first JSON value is no object");
    CHECK(problem("{\"b\":1}") == "no JSON object in the reply has 'action'");
  }

  TEST_CASE("the payload is read where the reply is, and can be moved") {
    const std::string reply = "{\"action\":{}}";
    Payload moved = payload_of(reply, "action").value();
    const Payload again = std::move(moved);
    CHECK(again.json().data() == reply.data());
    CHECK(again.root().find("action").is_object());
  }
}
