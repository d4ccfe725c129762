#include "agent/planners/step_refs.h"

#include <doctest/doctest.h>

#include "base/json/writer.h"
#include "tests/support/holds.h"

namespace spoor::agent::planners {
namespace {

using spoor::testing::holds;

const StepOutputs kOutputs = {R"("a text")", R"({"list":[1,{"name":"n"}],"null":null})",
                              std::nullopt, R"("{\"in\":\"text\"}")"};

std::string resolved(const std::string& json) {
  const auto result = resolve_refs(json, kOutputs);
  return result ? *result : "refused: " + result.error().message;
}

}  // namespace

TEST_SUITE("agent/step_refs") {
  TEST_CASE("a string that is a reference becomes the value, in a longer one its text") {
    CHECK(resolved(R"({"a":"$1.output"})") == R"({"a":"a text"})");
    CHECK(resolved(R"({"a":"<$1.output>, $1.output."})") == R"({"a":"<a text>, a text."})");
    CHECK(resolved(R"({"a":["$2.output.list"]})") == R"({"a":[[1,{"name":"n"}]]})");
    CHECK(resolved(R"({"a":"$2.output.list.0"})") == R"({"a":1})");
    CHECK(resolved(R"({"a":"no. $2.output.list.0"})") == R"({"a":"no. 1"})");
    CHECK(resolved(R"({"a":"$2.output.list.1.name"})") == R"({"a":"n"})");
    CHECK(resolved(R"({"a":"$2.output.null"})") == R"({"a":null})");
    CHECK(resolved(R"({"a":"$4.output.in"})") == R"({"a":"text"})");
    CHECK(resolve_refs_in_text("It is $1.output", kOutputs).value() == "It is a text");
  }

  TEST_CASE("other text stays as it is") {
    for (const char* json :
         {R"({"a":"$1"})", R"({"a":"$1.outputs"})", R"({"a":"$x.output"})", R"({"a":"$.output"})",
          R"({"$1.output":1})", R"({"a":"cost: 5$"})", "not JSON, $1.output"}) {
      CHECK(resolved(json) == json);
    }
    CHECK(resolved(R"({"a":"$$1.output"})") == R"({"a":"$1.output"})");
    CHECK(resolved(R"({"a":"$$$1.output"})") == R"({"a":"$$1.output"})");
  }

  TEST_CASE("what was inserted is not searched again") {
    const StepOutputs outputs = {R"("$2.output")", R"("secret")"};
    CHECK(resolve_refs(R"({"a":"$1.output"})", outputs).value() == R"({"a":"$2.output"})");
    CHECK(resolve_refs(R"({"a":"x $1.output"})", outputs).value() == R"({"a":"x $2.output"})");
  }

  TEST_CASE("a reference to what is not there is refused, with the reason") {
    CHECK(holds(resolved(R"({"a":"$5.output"})"), "refused: '$5.output' names no earlier step"));
    CHECK(holds(resolved(R"({"a":"$0.output"})"), "refused: '$0.output'"));
    CHECK(holds(resolved(R"({"a":"$99999999999999999999.output"})"), "refused: '$9999"));
    CHECK(holds(resolved(R"({"a":"x $3.output"})"), "the result of step 3 is not known"));
    CHECK(holds(resolved(R"({"a":"$1.output.txt"})"), "is not a JSON object or array"));
    CHECK(holds(resolved(R"({"a":"$2.output.other"})"), "has no such member"));
    CHECK(holds(resolve_refs(R"({"a":"$1.output"})", {}).error().message, "none has a result yet"));
  }

  TEST_CASE("references cannot grow a call without limit") {
    const StepOutputs outputs = {json::write_string(std::string(1'000, 'x'))};
    std::string many;
    for (int i = 0; i < 2'000; ++i) many += "$1.output ";
    CHECK_FALSE(resolve_refs(R"({"a":")" + many + "\"}", outputs));
    std::string list;
    for (int i = 0; i < 2'000; ++i) list += R"("$1.output",)";
    CHECK_FALSE(resolve_refs("[" + list + "1]", outputs));
  }
}

}  // namespace spoor::agent::planners
