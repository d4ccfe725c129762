#include "llm/json_values.h"

#include <doctest/doctest.h>

#include <string>

using namespace spoor;
using namespace spoor::llm;

namespace {

using Values = std::vector<std::string>;

Values values(std::string_view text) {
  Values out;
  for (const std::string_view value : json_values(text)) out.emplace_back(value);
  return out;
}

}  // namespace

TEST_SUITE("llm/json_values") {
  TEST_CASE("fenced values come first, then the objects in the text, in order") {
    CHECK(values("{\"a\":1}\n```json\n[2]\n```\nand {\"b\":{\"c\":3}} then\n```\n{\"d\":4}") ==
          Values{"[2]", "{\"d\":4}", "{\"a\":1}", "{\"b\":{\"c\":3}}", "{\"d\":4}"});
    CHECK(values("```json\n[{\"a\":1}]\n```") == Values{"[{\"a\":1}]", "{\"a\":1}"});
    CHECK(values("```yaml\na: 1\n```") == Values{});
    CHECK(values("``\n{1}\n``") == Values{});
  }

  TEST_CASE("a fence may stand behind words, and its value beside it") {
    for (const char* text : {"{1} So: ```json\n[1]\n```", "```json [1]```", "```[1]```",
                             "```  Json title=\"x\"\n [1]", "~~~ \n[1]\n~~~", "  ~~~json\r\n[1]"}) {
      CAPTURE(text);
      CHECK(values(text) == Values{"[1]"});
    }
    CHECK(values("so ~~~\n[1]") == Values{});
  }

  TEST_CASE("a fence that closes opens nothing") {
    CHECK(values("```json\nbroken\n```\n[1]\n```\n[2]\n```") == Values{"[2]"});
    CHECK(values("```cpp\nint a[] = {1};\n```\n[1]") == Values{});
    // With a language it opens, whatever was open.
    CHECK(values("```json\nbroken\n```json\n[1]\n```") == Values{"[1]"});
  }

  TEST_CASE("a fence inside a value is text") {
    CHECK(values("{\"a\":\"``` [1] ```json [2]\"} {\"b\":1}") ==
          Values{"{\"a\":\"``` [1] ```json [2]\"}", "{\"b\":1}"});
    CHECK(values("```json\n[\"```json [2]\"]\n```\n```\n[3]") ==
          Values{"[\"```json [2]\"]", "[3]"});
  }

  TEST_CASE("what stands in a value that is cut off is no value") {
    CHECK(values("{\"a\":1} {\"b\":{\"a\":2},\"c\":") == Values{"{\"a\":1}"});
    CHECK(values("```json\n{\"b\":{\"a\":2},\"c\":\"x") == Values{});
  }

  TEST_CASE("braces of prose hide nothing, however many") {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "if (x) { y(); }\n";
    CHECK(values(text + "{\"a\":1}") == Values{"{\"a\":1}"});
    CHECK(values("the set {\"a\", \"b\"} and {\"a\":1}") == Values{"{\"a\":1}"});
  }

  TEST_CASE("a byte order mark and the thought before an answer are no part of it") {
    CHECK(without_preface("\xef\xbb\xbf <think>{}</think>\n a") == "a");
    CHECK(without_preface("a <think>{}</think>") == "a <think>{}</think>");
    CHECK(without_preface("<think>{}").empty());
    CHECK(values("<think>{}</think>{\"a\":1}") == Values{"{\"a\":1}"});
  }

  TEST_CASE("no number of values is too high") {
    std::string fences;
    for (int i = 0; i < 10'000; ++i) fences += "```\n{}\n```\n";
    CHECK(values(fences).size() == 20'000);
  }
}
